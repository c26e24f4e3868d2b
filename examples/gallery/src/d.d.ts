declare const d: number;
