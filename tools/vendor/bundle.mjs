// Writes templates/static/vendor/: run `npm install && npm run bundle` here after a change of
// versions, and commit what it wrote. Pages need no build step; only this file does.
import { build } from "esbuild";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const out = "../../templates/static/vendor";
const common = { bundle: true, format: "esm", minify: true, target: "es2022", legalComments: "none" };

await build({ ...common, entryPoints: ["codemirror.mjs"], outfile: `${out}/codemirror.js` });
await build({
  ...common,
  stdin: { contents: 'export { default } from "cytoscape";', resolveDir: "." },
  outfile: `${out}/cytoscape.js`,
});

const built = ["esbuild", "@esbuild"];
const licences = [];
for (const folder of readdirSync("node_modules").sort()) {
  if (folder.startsWith(".") || built.includes(folder)) continue;
  const names = folder.startsWith("@")
    ? readdirSync(join("node_modules", folder)).sort().map((name) => `${folder}/${name}`)
    : [folder];
  for (const name of names) {
    const about = JSON.parse(readFileSync(join("node_modules", name, "package.json"), "utf8"));
    const file = readdirSync(join("node_modules", name)).find((f) => /^licen[sc]e/i.test(f));
    const text = file ? readFileSync(join("node_modules", name, file), "utf8").trim() : about.license;
    licences.push(`${name} ${about.version} (${about.license})\n\n${text}\n`);
  }
}
writeFileSync(`${out}/LICENSES.txt`, licences.join(`\n${"-".repeat(80)}\n\n`));
