// React Native's preset, with its runtime inside the bundle.
module.exports = {
  presets: [[require.resolve('@react-native/babel-preset', { paths: [process.env.TOOLS] }), { enableBabelRuntime: false }]],
};
