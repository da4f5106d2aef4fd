// Which module of the page imports which.

import fs from 'node:fs';
import path from 'node:path';

const SOURCE = path.join(import.meta.dirname, '../src');

/**
 * What each module imports, at once or later by `import(…)`; types, which stand in comments, are none of it.
 * @returns {Map<string, string[]>}
 */
export function importsOf(folder = SOURCE) {
    const files = fs.readdirSync(folder, { recursive: true }).map(String).filter((file) => file.endsWith('.js')).sort();
    return new Map(files.map((file) => [file, imported(fs.readFileSync(path.join(folder, file), 'utf8'), file)]));
}

function imported(source, file) {
    const code = source.replace(/\/\*[^]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
    const named = [...code.matchAll(/\b(?:from|import)\s*\(?\s*['"](\.[^'"]+)['"]/g)].map(([, name]) => name);
    return named.map((name) => path.join(path.dirname(file), name));
}

/**
 * Modules that import each other, as knots: each of a knot leads to all others of it.
 * @param {Map<string, string[]>} imports
 * @returns {string[][]}
 */
export function circles(imports) {
    const reached = new Map([...imports.keys()].map((file) => [file, reachable(imports, file)]));
    const knotOf = (file) => [...reached.get(file)].filter((other) => reached.get(other)?.has(file)).sort();
    const knots = [...imports.keys()].map(knotOf).filter((knot) => knot.length > 0);
    return [...new Set(knots.map((knot) => JSON.stringify(knot)))].map((knot) => JSON.parse(knot));
}

/** All that a module leads to; itself only if it is part of a circle. */
function reachable(imports, from) {
    const found = new Set();
    const waiting = [...(imports.get(from) ?? [])];
    for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
        if (found.has(file)) continue;
        found.add(file);
        waiting.push(...(imports.get(file) ?? []));
    }
    return found;
}
