// Metro as React Native's template sets it up, but for React Native's own polyfills; METRO_EXPORTS=0 as before 0.79.
module.exports = {
  projectRoot: __dirname,
  watchFolders: [process.env.PROJECT],
  resolver: {
    unstable_enablePackageExports: process.env.METRO_EXPORTS !== '0',
    nodeModulesPaths: [`${process.env.PROJECT}/node_modules`],
  },
  serializer: { getPolyfills: () => [] },
};
