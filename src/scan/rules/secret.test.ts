import { describe, expect, test } from "vitest";
import { compileRules } from "../compile-rules.ts";
import { scanBytes } from "../scan-file.ts";

const rules = compileRules({
  patterns: [{ id: "secret", name: "", description: "", contextLines: 0, rules: [], transformations: [], finder: "secret", secret: true }],
});

function found(text: string, path = "a.ts"): readonly string[] {
  return scanBytes(Buffer.from(text), path, rules).instances.map(({ type }) => type);
}

/** Put together here, so that no text of this file has the form of a secret. */
const made = {
  aws: `AKIA${"Q3EGR7XKZ5WHNB2T"}`,
  github: `ghp_${"a8Kd03jLmN5pQr7sTu9vWx1yZb2cDe4fGh6i"}`,
  stripe: `sk_live_${"4eC39HqLyjWDarjtT1zdp7dc"}`,
  jwt: `eyJhbGciOiJIUzI1NiJ9.${"eyJzdWIiOiJhZG1pbiJ9"}.${"kT7vQ2xLm9RwZb4NpYs8dHc3Jf6Ga1Ue"}`,
  random: "k9Vq2LxT7wRb4ZpN8sYd",
  hex: "c292a0a3aa32397cdb050e233733900f",
  key: `-----BEGIN RSA ${"PRIVATE"} KEY-----\n${"MIIEpAIBAAKCAQEA0Z3VS5JJcds3xfn/ygWyF8PbnGy0AHB7MbzYLdZ7ZvVy7F7V"}\n-----END`,
} as const;

describe("a secret has the form or the entropy of one", () => {
  test.each([
    [`const a = "${made.aws}";`, "a.ts", "aws_key"],
    [`// ${made.github}`, "a.ts", "github_token"],
    [`stripe('${made.stripe}')`, "a.ts", "stripe_key"],
    [`const a = "${made.jwt}";`, "a.ts", "json_web_token"],
    [`const a = \`${made.key}\`;`, "a.ts", "private_key"],
    [`connect("postgres://app:${made.random}@db.shop.com/orders")`, "a.ts", "connection_string"],
    [`"Server=db.shop.com;User Id=app;Password=${made.random}"`, "A.cs", "connection_string"],
    [`const password = "${made.random}";`, "a.ts", "random_literal"],
    [`const apiKey: string = '${made.random}';`, "a.ts", "random_literal"],
    [`{ "clientSecret": "${made.random}" }`, "a.ts", "random_literal"],
    [`const secret = process.env.JWT_SECRET || "${made.random}";`, "a.ts", "random_literal"],
    [`COOKIE_SECRET = os.environ.get("APP_COOKIE_SECRET", "${made.hex}")`, "a.py", "random_literal"],
    [`login(user, password="${made.random}")`, "a.py", "random_literal"],
  ])("%s", (text, path, type) => expect(found(text, path)).toEqual([type]));

  test.each([
    ["const noMatchPassword = 'message.no-match-password';"],
    ["{ passwordLabel: 'Please enter a new password with 12 characters' }"],
    ["const tokenUrl = 'https://login.shop.com/oauth2/v2.0/token?version=20240101';"],
    ["const passwordFieldId = 'input-9f8e7d6c5b4a39281706';"],
    ["const password = '${DB_PASSWORD_123456789}';"],
    ["const apiKey = 'your-api-key-here-1234567890';"],
    ["const apiKey = 'XXXXXXXXXXXXXXXX1234XXXX';"],
    ["const token = 'AKIAIOSFODNN7EXAMPLE';"],
    ["const a = 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c';"],
    ["const password = 'correct-horse-battery-staple';"],
    ["const secretPath = '/run/secrets/db_password_2024_01';"],
    ["const passkey = { KasperskyPasswordManager: 'a10c6dd9-465e-4226-8198-c7c44b91c555' };"],
    ["connect('postgres://postgres:postgres@localhost:5432/app')"],
    ["connect('postgres://user:password@db.shop.com/app')"],
    ["connect(`postgres://${user}:${password}@db.shop.com/app`)"],
    ["const header = '-----BEGIN PRIVATE KEY-----';"],
    ["const pattern = /-----BEGIN RSA PRIVATE KEY-----([^-]+)/;"],
    [`const tokenHash = "${made.hex}";`],
    [`if (password === "${made.random}") {}`],
    [`const integrity = "sha512-${made.random}${made.hex}";`],
  ])("%s is none", (text) => expect(found(text)).toEqual([]));
});

test("it leaves the scanner masked, and once where two forms fit", () => {
  const text = `const apiSecret = "${made.github}";\n`;
  const { instances } = scanBytes(Buffer.from(text), "a.ts", rules);
  expect(instances).toHaveLength(1);
  expect(instances[0]).toMatchObject({ type: "github_token", secret: true, text: "ghp_*** (40 characters)", line: 1, column: 20 });
  expect(JSON.stringify(instances)).not.toContain(made.github);
});
