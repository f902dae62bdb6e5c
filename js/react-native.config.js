// What autolinking adds to an app's native build on Android: the C++ module of android/CMakeLists.txt. Paths begin at android/; the
// name of the codegen's library, without which the module is not registered, stands in package.json.
module.exports = {
  dependency: {
    platforms: {
      android: {
        cxxModuleCMakeListsModuleName: 'wsprn',
        cxxModuleCMakeListsPath: 'CMakeLists.txt',
        cxxModuleHeaderName: 'NativeWsp',
      },
    },
  },
};
