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
const folder = process.argv[2], data = new Uint8Array(fs.readFileSync(process.argv[3]));
const wasm = fs.readFileSync(path.join(folder, 'tinyusdz.wasm')), real = process;
globalThis.window = globalThis; // it is built for browsers
Object.defineProperty(globalThis, 'process', { value: undefined, configurable: true });
const init = (await import(pathToFileURL(path.join(folder, 'tinyusdz.js')).href)).default;
const usd = await init({ instantiateWasm(imports, done) {
    WebAssembly.instantiate(wasm, imports).then(r => done(r.instance, r.module));
    return {};
} });
const loader = new usd.TinyUSDZLoaderNative();
const ok = loader.loadFromBinary(data, 'run.usda');
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
finish
