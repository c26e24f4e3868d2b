const words = { en: "Hello", fr: "Bonjour" };

export function greet(name = "you", language = "en") {
  return `${words[language] ?? words.en}, ${name}.`;
}
