// Native modules of the host, where the tests' React Native looks for them. It is imported before the package.
const name = 'Wsp';

globalThis.nativeModules = {
  [name]: globalThis.nativeModuleProxy ? globalThis.nativeModuleProxy[name] : globalThis.__turboModuleProxy(name),
};
