// Functions of SillyTavern, cut out of its own files when a test runs. Its page
// modules cannot be imported in Node; nothing of them is kept here.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Path of a file of an installed package. */
export function file(path, npmPackage = 'sillytavern') {
    return fileURLToPath(new URL(`./node_modules/${npmPackage}/${path}`, import.meta.url));
}

/** The text of a function or constant at the top level of a file. */
export function cut(path, name, npmPackage) {
    const source = readFileSync(file(path, npmPackage), 'utf8');
    const start = source.search(new RegExp(`^(export )?((async )?function|const|let) ${name}\\b`, 'm'));
    if (start < 0) {
        throw new Error(`${path} has no ${name}: has SillyTavern moved it?`);
    }
    const rest = source.slice(start).replace(/^export /, '');
    const isFunction = /^(async )?function/.test(rest);
    const end = isFunction ? rest.indexOf('\n}\n') + 2 : rest.indexOf(';\n') + 1;
    return rest.slice(0, end);
}

/** Runs cut pieces with stand-ins for what they use, and gives back `name`. */
export function run(name, pieces, standIns = {}) {
    return new Function(...Object.keys(standIns), `${pieces.join('\n')}\nreturn ${name};`)(...Object.values(standIns));
}
