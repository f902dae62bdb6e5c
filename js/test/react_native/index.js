// What the package uses of React Native, for tests: native modules and assets that a test puts on globalThis.
exports.TurboModuleRegistry = { get: (name) => globalThis.nativeModules?.[name] ?? null };
exports.Image = { resolveAssetSource: (asset) => globalThis.assets?.[asset] ?? null };
