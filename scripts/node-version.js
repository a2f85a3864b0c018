/* Runs before the packages are installed and on any version of Node.js: nothing is imported before the version is checked. */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

const isSupported = (major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major > 22;
if (!isSupported) {
  console.error(`\nERROR   This is Node.js ${process.versions.node}; the service needs 20.19, 22.12 or newer.`);
  console.error(
    'REMEDY  Install a current Node.js (https://nodejs.org, or `nvm install 22`) and run the same command again.\n',
  );
  process.exit(78);
}
