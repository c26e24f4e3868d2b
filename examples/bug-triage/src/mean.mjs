/** The mean of a list of numbers. */
export function mean(numbers) {
  let sum = 0;
  for (const number of numbers) sum += number;
  return sum / numbers.length;
}
