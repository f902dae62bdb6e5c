// Metro as React Native's template sets it up, but for React Native's own polyfills; METRO_EXPORTS=0 as before 0.79.
module.exports = {
  projectRoot: __dirname,
  // The runtime of its own bundles lies with the tools.
  watchFolders: [process.env.PROJECT, `${process.env.TOOLS}/metro-runtime`],
  resolver: {
    resolverMainFields: ['react-native', 'browser', 'main'],
    unstable_conditionNames: ['react-native'],
    unstable_enablePackageExports: process.env.METRO_EXPORTS !== '0',
    nodeModulesPaths: [`${process.env.PROJECT}/node_modules`, process.env.TOOLS],
  },
  serializer: { getPolyfills: () => [] },
};
