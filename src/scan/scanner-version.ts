/** Changes whenever the same file and rules could give another result: results of two versions are not comparable. */
export const scannerVersion = "3";
