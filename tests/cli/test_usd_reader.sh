#!/usr/bin/env bash
# Our USD read by somebody else: npm's tinyusdz, which refuses wrong types. Skipped where node does not find it (NODE_PATH, or npm install -g).
. "$(dirname "$0")/lib.sh"
reader=
for folder in ${NODE_PATH:-} "$(npm root -g 2>/dev/null)"; do
    [ -f "$folder/tinyusdz/tinyusdz.wasm" ] && reader=$folder/tinyusdz
done
command -v node >/dev/null && [ -n "$reader" ] || {
    echo "node with tinyusdz is not there: skipped"
    exit 77
}
cat >read.mjs <<'END'
import fs from 'fs';
import path from 'path';
import { pathToFileURL } from 'url';
const folder = process.argv[2], file = process.argv[3], what = process.argv[4];
const data = new Uint8Array(fs.readFileSync(file));
const wasm = fs.readFileSync(path.join(folder, 'tinyusdz.wasm')), real = process;
globalThis.window = globalThis; // it is built for browsers
Object.defineProperty(globalThis, 'process', { value: undefined, configurable: true });
const init = (await import(pathToFileURL(path.join(folder, 'tinyusdz.js')).href)).default;
const usd = await init({ instantiateWasm(imports, done) {
    WebAssembly.instantiate(wasm, imports).then(r => done(r.instance, r.module));
    return {};
} });
const loader = new usd.TinyUSDZLoaderNative();
if (what === 'layer') { // all that it understood, as its own text
    const ok = loader.loadAsLayerFromBinary(data, path.basename(file));
    console.log(ok ? loader.layerToString() : loader.error());
    real.exit(ok ? 0 : 1);
}
const ok = loader.loadFromBinary(data, path.basename(file));
console.log(ok ? `meshes ${loader.numMeshes()}` : loader.error());
real.exit(ok ? 0 : 1);
END
cat >scene.json <<'END'
{ "name": "usd", "particle_radius": 0.02, "duration": 0.08, "frame_rate": 25,
  "fluids": [ { "name": "water", "blocks": [ { "min": [0, 0, 0], "max": [0.2, 0.2, 0.2] } ] } ],
  "solids": [ { "name": "tank", "shape": { "box": [0.4, 0.4, 0.2] }, "position": [0.2, 0.2, 0.1], "inside": true },
              { "name": "ball", "type": "rigid", "shape": { "sphere": 0.05 }, "position": [0.3, 0.2, 0.1] } ] }
END
expect 0 "$meniscus" run scene.json --out run --quiet --threads 1
expect 0 "$meniscus" surface run -o usd --format usda --quiet
expect 0 node read.mjs "$reader" usd/run.usda
says out.txt "meshes 3"
sed 's/point3f\[\] points/int[] points/' usd/run.usda >bad.usda
expect 1 node read.mjs "$reader" bad.usda
# the compact format: the same points, topology, velocities and times, as far as text rounds (half a thousandth of 1 for normals, of a
# radius for points, of a radius per frame for velocities); ids are left out: of those in text it takes the first digits only
expect 0 "$meniscus" surface run -o usd --format usdc --quiet
expect 0 node read.mjs "$reader" usd/run.usdc
says out.txt "meshes 3"
for format in usda usdc; do
    expect 0 node read.mjs "$reader" usd/run.$format layer
    mv out.txt $format.txt
done
says usdc.txt "ids.timeSamples"
cat >same.mjs <<'END'
import fs from 'fs';
const read = name => fs.readFileSync(name, 'utf8').split('\n');
const [a, b] = [read('usda.txt'), read('usdc.txt')];
const number = /-?\d+\.?\d*(?:e[-+]?\d+)?/g, within = { ids: 1e9, normals: 6e-4, velocities: 6e-4, points: 1.1e-5 };
let attribute = '', compared = 0;
const bad = (k, why) => { console.log(`line ${k + 1}, ${attribute}: ${why}: ${a[k]?.slice(0, 80)} | ${b[k]?.slice(0, 80)}`); process.exit(1); };
if (a.length !== b.length) bad(0, `${a.length} and ${b.length} lines`);
a.forEach((line, k) => {
    attribute = line.match(/\S+ (\S+?)(\.timeSamples)? = /)?.[1] ?? attribute;
    const x = line.match(number) ?? [], y = b[k].match(number) ?? [];
    if (x.length !== y.length || line.replace(number, '') !== b[k].replace(number, '')) bad(k, 'another text');
    x.forEach((v, j) => { if (!(Math.abs(v - y[j]) <= (within[attribute] ?? 1e-6))) bad(k, `${v} and ${y[j]}`); });
    compared += x.length;
});
console.log(`numbers ${compared}`);
process.exit(compared > 10000 ? 0 : 1);
END
expect 0 node same.mjs
head -c 40000 usd/run.usdc >bad.usdc
expect 1 node read.mjs "$reader" bad.usdc
[ "$(($(stat -c %s usd/run.usdc) * 2))" -lt "$(stat -c %s usd/run.usda)" ] || fail "run.usdc is not half as large as run.usda"
finish
