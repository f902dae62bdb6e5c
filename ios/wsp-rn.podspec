# The pod: core, binding and Apple's platform, compiled with the app; the core as a framework where one is packed.
# Package.swift has the same files, flags and frameworks without React Native; tests compare them.
require 'json'

package = JSON.parse(File.read(File.join(__dir__, 'package.json')))

Pod::Spec.new do |s|
  s.name = 'wsp-rn'
  s.version = package['version']
  s.summary = package['description']
  s.homepage = package['homepage'].to_s
  s.license = { type: package['license'], file: 'LICENSE' }
  s.author = 'wsp contributors'
  s.source = { git: package.dig('repository', 'url').to_s, tag: "v#{s.version}" }
  s.platforms = { ios: '15.1' }

  framework = 'ios/prebuilt/WspSpeech-static.xcframework'
  if File.directory?(File.join(__dir__, framework))
    core = []
    s.vendored_frameworks = framework
  else
    core = ['cpp/src/**/*.{cpp,mm}']
  end
  s.source_files = core + ['cpp/jsi/**/*.cpp', 'ios/**/*.{h,mm}']
  # For tests, for desktops, for WebAssembly, and what stands in where there is neither Metal nor Core ML.
  s.exclude_files = ['cpp/src/backend/deferred/deferred_backend.cpp', 'cpp/src/backend/metal/no_metal.cpp',
    'cpp/src/backend/metal/played_gpu.cpp', 'cpp/src/encoders/recorded/recorded_encoder.cpp',
    'cpp/src/encoders/openvino/openvino_encoder.cpp', 'cpp/src/encoders/coreml/no_coreml.cpp', 'cpp/src/base/wasi/**/*']
  # Many headers share a name, so none is copied into one folder: the compiler finds them where they are.
  s.preserve_paths = ['cpp/**/*.h']
  s.project_header_files = ['ios/**/*.h']
  s.resource_bundles = { 'wsp-rn' => ['ios/PrivacyInfo.xcprivacy'] }
  s.frameworks = ['AVFoundation', 'CoreML', 'Foundation', 'Metal']

  s.pod_target_xcconfig = {
    'CLANG_CXX_LANGUAGE_STANDARD' => 'c++20',
    'GCC_C_LANGUAGE_STANDARD' => 'c11',
    # Arithmetic without optimisation is ten times slower: also in a debug build of the app.
    'GCC_OPTIMIZATION_LEVEL' => '3',
    'GCC_SYMBOLS_PRIVATE_EXTERN' => 'YES',
    'GCC_INLINES_ARE_PRIVATE_EXTERN' => 'YES',
    'HEADER_SEARCH_PATHS' => ['cpp/include', 'cpp/src', 'cpp/jsi', 'ios/audio']
      .map { |folder| "\"$(PODS_TARGET_SRCROOT)/#{folder}\"" }.join(' '),
    'USE_HEADERMAP' => 'NO',
  }
  install_modules_dependencies(s)
end
