// swift-tools-version:5.9
// The core and Apple's audio for apps without React Native; wsp-rn.podspec has the same files, flags and frameworks.
import PackageDescription

let package = Package(
  name: "wsp",
  platforms: [.iOS("15.1"), .macOS("12.0"), .macCatalyst("15.1"), .visionOS("1.0")],
  products: [.library(name: "WSPSpeech", targets: ["WSPSpeech", "WSPSpeechAudio", "WSPSpeechPlatform"])],
  targets: [
    .target(
      name: "WSPSpeech",
      path: "cpp",
      exclude: [
        "src/backend/metal/no_metal.cpp", "src/backend/metal/played_gpu.cpp",
        "src/backend/deferred/deferred_backend.cpp", "src/encoders/recorded/recorded_encoder.cpp",
        "src/encoders/openvino/openvino_encoder.cpp", "src/encoders/coreml/no_coreml.cpp",
        "src/base/wasi",
      ],
      sources: ["src"],
      publicHeadersPath: "include",
      cxxSettings: [.headerSearchPath("include"), .headerSearchPath("src")],
      linkerSettings: [.linkedFramework("CoreML"), .linkedFramework("Foundation"), .linkedFramework("Metal")]
    ),
    .target(
      name: "WSPSpeechAudio",
      path: "ios",
      exclude: ["generated", "platform"],
      sources: ["audio"],
      resources: [.process("PrivacyInfo.xcprivacy")],
      publicHeadersPath: "audio",
      cxxSettings: [.headerSearchPath("audio")],
      linkerSettings: [.linkedFramework("AVFoundation"), .linkedFramework("Foundation")]
    ),
    .target(
      name: "WSPSpeechPlatform",
      dependencies: ["WSPSpeech", "WSPSpeechAudio"],
      path: "ios/platform",
      exclude: [],
      sources: ["CorePlatform.mm"],
      publicHeadersPath: ".",
      linkerSettings: [.linkedFramework("Foundation")]
    ),
  ],
  cLanguageStandard: .c11,
  cxxLanguageStandard: .cxx20
)
