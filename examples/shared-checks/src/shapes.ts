export const area = (side: number): number => side * side;
