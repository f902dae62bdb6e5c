# Evaluates a podspec as CocoaPods does and prints what it sets, as JSON: `ruby podspec.rb FILE`.
require 'json'

module Pod
  # Takes every attribute that is set, and knows none.
  class Spec
    def self.new
      spec = super
      yield spec
      puts JSON.generate(spec.values)
    end

    attr_reader :values

    def initialize
      @values = {}
    end

    def method_missing(name, *arguments)
      return @values[name.to_s.chomp('=')] = arguments.first if name.to_s.end_with?('=')

      @values.fetch(name.to_s) { raise NoMethodError, "#{name} is read before it is set" }
    end

    def respond_to_missing?(_name, _private = false)
      true
    end
  end
end

# React Native's, which adds its own pods.
def install_modules_dependencies(spec)
  spec.values['modules_dependencies'] = true
end

load ARGV.fetch(0)
