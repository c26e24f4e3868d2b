/** A program for agents that work at the same time: it ends when three have begun; who is alone for too long says so. */
export const meet = `import { existsSync, mkdirSync, readdirSync, watch, writeFileSync } from "node:fs";
const folder = process.env.MEETING ?? "";
if (!existsSync(folder)) process.exit(0);
const alone = setTimeout(() => { writeFileSync(folder + "/../alone", process.argv[2]); process.exit(1); }, 60_000);
const look = () => readdirSync(folder).length >= 3 && process.exit(0);
watch(folder, look);
writeFileSync(folder + "/" + process.argv[2], "");
look();
`;
