// Turns a pattern's tree into the machine's instructions.
#include <utility>

#include "decode/pattern.h"
#include "decode/pattern_tree.h"

namespace speech {

class PatternCompiler {
 public:
  explicit PatternCompiler(PatternTree tree) : tree_(std::move(tree)) {}

  Result<Pattern> run() {
    SPEECH_RETURN_IF_ERROR(emit(tree_.root));
    SPEECH_RETURN_IF_ERROR(add({}));
    pattern_.sets_ = std::move(tree_.sets);
    return std::move(pattern_);
  }

 private:
  using Kind = PatternStep;
  using Node = PatternTree::Node;

  std::uint32_t here() const { return static_cast<std::uint32_t>(pattern_.instructions_.size()); }

  Status add(Pattern::Instruction instruction) {
    if (pattern_.instructions_.size() >= kMaxPatternInstructions) {
      return {Code::kInvalidArgument, "the pattern becomes more than " + std::to_string(kMaxPatternInstructions) +
                                          " instructions; expected smaller counts of repetition"};
    }
    pattern_.instructions_.push_back(instruction);
    return Status::ok();
  }

  /// Recursion as deep as groups lie in each other, which is bounded.
  Status emit(std::size_t index) {
    const Node& node = tree_.nodes[index];
    std::vector<Pattern::Instruction>& code = pattern_.instructions_;
    switch (node.kind) {
      case Node::Kind::kSet: return add({Kind::kSet, node.set, 0});
      case Node::Kind::kPlace: return add({node.place, here() + 1, 0});
      case Node::Kind::kSequence:
        for (const std::size_t part : node.parts) {
          SPEECH_RETURN_IF_ERROR(emit(part));
        }
        return Status::ok();
      case Node::Kind::kAhead: {
        const std::uint32_t begin = here();
        SPEECH_RETURN_IF_ERROR(add({node.place, 0, 0}));
        SPEECH_RETURN_IF_ERROR(emit(node.parts[0]));
        SPEECH_RETURN_IF_ERROR(add({Kind::kMatch, 0, 0}));
        code[begin].a = here();
        return Status::ok();
      }
      case Node::Kind::kEither: {
        std::vector<std::uint32_t> leaving;  // splits that go on behind the last choice
        for (std::size_t i = 0; i < node.parts.size(); ++i) {
          const std::uint32_t begin = here();
          const bool is_last = i + 1 == node.parts.size();
          if (!is_last) {
            SPEECH_RETURN_IF_ERROR(add({Kind::kSplit, begin + 1, 0}));
          }
          SPEECH_RETURN_IF_ERROR(emit(node.parts[i]));
          if (!is_last) {
            leaving.push_back(here());
            SPEECH_RETURN_IF_ERROR(add({Kind::kSplit, 0, 0}));
            code[begin].b = here();
          }
        }
        for (const std::uint32_t split : leaving) {
          code[split].a = code[split].b = here();
        }
        return Status::ok();
      }
      case Node::Kind::kRepeat: return emit_repeat(node.parts[0], node.least, node.most);
    }
    return Status::ok();
  }

  Status emit_repeat(std::size_t part, std::uint32_t least, std::uint32_t most) {
    std::vector<Pattern::Instruction>& code = pattern_.instructions_;
    for (std::uint32_t i = 0; i < least; ++i) {
      const std::uint32_t before = here();
      SPEECH_RETURN_IF_ERROR(emit(part));
      if (here() == before) {
        break;  // nothing, as often as one likes
      }
    }
    if (most == PatternTree::kUnbounded) {
      const std::uint32_t begin = here();
      SPEECH_RETURN_IF_ERROR(add({Kind::kSplit, begin + 1, 0}));
      SPEECH_RETURN_IF_ERROR(emit(part));
      SPEECH_RETURN_IF_ERROR(add({Kind::kSplit, begin, begin}));
      code[begin].b = here();
      return Status::ok();
    }
    std::vector<std::uint32_t> leaving;
    for (std::uint32_t i = least; i < most; ++i) {
      leaving.push_back(here());
      SPEECH_RETURN_IF_ERROR(add({Kind::kSplit, here() + 1, 0}));
      SPEECH_RETURN_IF_ERROR(emit(part));
    }
    for (const std::uint32_t split : leaving) {
      code[split].b = here();
    }
    return Status::ok();
  }

  PatternTree tree_;
  Pattern pattern_;
};

Result<Pattern> Pattern::compile(std::string_view pattern) {
  SPEECH_ASSIGN_OR_RETURN(PatternTree tree, parse_pattern(pattern));
  return PatternCompiler(std::move(tree)).run();
}

}  // namespace speech
