/* Installs the packages before an npm script, unless they are installed. */
import('./node-version.js').then(() => import('./install.js')).then(({ installOrExit }) => installOrExit());
