#include "OwnHeader.h"
#include "Precompile.h"
#include "UserCodeConsumer.h"

#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/MultiplexConsumer.h"
#include "clang/Lex/HeaderSearchOptions.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "clang/Serialization/ASTReader.h"
#include "clang/Serialization/ASTWriter.h"
#include "clang/Serialization/ModuleFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

namespace gradtidy {

namespace {

/// Blanks for the directives at the beginning of \p text, of \p size; comments stay.
std::string withoutDirectives(llvm::StringRef text, unsigned size,
                              const clang::LangOptions &language) {
  std::string rest = text.str();
  const std::string beginning = text.take_front(size).str();
  clang::Lexer lexer({}, language, beginning.data(), beginning.data(),
                     beginning.data() + beginning.size());
  lexer.SetCommentRetentionState(true);
  for (clang::Token token; !lexer.LexFromRawLexer(token);)
    if (token.isNot(clang::tok::comment)) {
      const size_t end = lexer.getBufferLocation() - beginning.data();
      for (size_t i = end - token.getLength(); i < end; ++i)
        if (rest[i] != '\n')
          rest[i] = ' ';
    }
  return rest;
}

/// Writes the header, and which of its declarations are the user's.
class Writer : public clang::PCHGenerator {
public:
  Writer(clang::CompilerInstance &compiler, std::string target,
         std::shared_ptr<clang::PCHBuffer> buffer, const UserCodeConsumer &users,
         std::vector<std::string> &declarations)
      : PCHGenerator(compiler.getPreprocessor(), compiler.getModuleCache(), std::move(target),
                     /*isysroot=*/"", std::move(buffer), compiler.getCodeGenOpts(), {},
                     /*AllowASTWithErrors=*/false, /*IncludeTimestamps=*/false),
        users(users), declarations(declarations) {}

  void HandleTranslationUnit(clang::ASTContext &context) override {
    PCHGenerator::HandleTranslationUnit(context);
    if (hasEmittedPCH())
      for (const clang::Decl *declaration : users.declarations())
        declarations.push_back(std::to_string(getWriter().getDeclID(declaration).getRawValue()));
  }

private:
  const UserCodeConsumer &users;
  std::vector<std::string> &declarations;
};

class MakeAction : public PrecompileAction {
public:
  MakeAction(const SystemIncludes::Scope &scope, HeaderRecord &record)
      : PrecompileAction(record), userCode(scope.userCode), scope(scope) {}

protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &compiler,
                                                        llvm::StringRef file) override {
    auto includes = std::make_unique<SystemIncludes>(compiler.getPreprocessor(), scope);
    systemIncludes = includes.get();
    compiler.getPreprocessor().addPPCallbacks(std::move(includes));
    static const LeftOut none; // What is left out is left out when the unit is parsed.
    auto users = std::make_unique<UserCodeConsumer>(userCode, compiler.getSourceManager(), none);
    auto writer =
        std::make_unique<Writer>(compiler, file.str(), buffer, *users, record.facts["declaration"]);
    std::vector<std::unique_ptr<clang::ASTConsumer>> all;
    all.push_back(std::move(users));
    all.push_back(std::move(writer));
    return std::make_unique<clang::MultiplexConsumer>(std::move(all));
  }

  void EndSourceFileAction() override {
    const clang::SourceManager &sources = getCompilerInstance().getSourceManager();
    const clang::FileEntry &main = *sources.getFileEntryForID(sources.getMainFileID());
    const std::set<std::string> headers = systemIncludes->of(main);
    const std::set<std::string> code = systemIncludes->forOtherCompilers(main);
    const std::set<std::string> outer = systemIncludes->outer(main);
    record.facts["system"] = {headers.begin(), headers.end()};
    record.facts["outer"] = {outer.begin(), outer.end()};
    record.facts["telling-macros"] = systemIncludes->tellingMacros();
    record.facts["other-compilers"] = {code.begin(), code.end()};
    PrecompileAction::EndSourceFileAction();
  }

private:
  const UserCode &userCode;
  const SystemIncludes::Scope scope;
  const SystemIncludes *systemIncludes = nullptr;
};

} // namespace

OwnHeader::OwnHeader(HeaderCache &cache, const clang::CompilerInvocation &invocation,
                     llvm::StringRef text, const HeaderCache::Header &framework)
    : cache(&cache), precompiler(precompilerFor(invocation)), base(framework.stamp) {
  const llvm::StringRef file = invocation.getFrontendOpts().Inputs.front().getFile();
  precompiler->getPreprocessorOpts().ImplicitPCHInclude = framework.file;
  // What the main file includes lies beside it.
  std::vector<clang::HeaderSearchOptions::Entry> &folders =
      precompiler->getHeaderSearchOpts().UserEntries;
  folders.emplace(folders.begin(), llvm::sys::path::parent_path(file), clang::frontend::Quoted,
                  /*isFramework=*/false, /*ignoreSysRoot=*/false);
  const unsigned size = clang::Lexer::ComputePreamble(text, invocation.getLangOpts()).Size;
  source = (text.take_front(size) + "\n").str();
  mainFile = withoutDirectives(text, size, invocation.getLangOpts());
  key = keyOf(*precompiler, (source + base + "\n" + file + "\n" + identityOfProgram()).str());
  if (const HeaderEntry *entry = cache.known(key); entry && entry->usable())
    if (const HeaderCache::Header header{entry->file(), entry->stamp(), framework.folders};
        cache.holds(header.stamp, header.folders))
      found = header;
}

std::vector<clang::Decl *> OwnHeader::declarations(clang::ASTReader &reader) const {
  clang::serialization::ModuleFile &file = reader.getModuleManager().getPrimaryModule();
  std::vector<clang::Decl *> all;
  for (const std::string &fact : cache->known(key)->facts("declaration"))
    if (clang::LocalDeclID::DeclID id = 0; !llvm::StringRef(fact).getAsInteger(10, id))
      all.push_back(reader.GetLocalDecl(file, clang::LocalDeclID::get(reader, file, id)));
  return all;
}

std::set<std::string> OwnHeader::systemHeaders() const {
  const std::vector<std::string> facts = cache->known(key)->facts("system");
  return {facts.begin(), facts.end()};
}

std::set<std::string> OwnHeader::outerHeaders() const {
  const std::vector<std::string> facts = cache->known(key)->facts("outer");
  return {facts.begin(), facts.end()};
}

std::vector<std::string> OwnHeader::tellingMacros() const {
  return cache->known(key)->facts("telling-macros");
}

std::set<std::string> OwnHeader::forOtherCompilers() const {
  const std::vector<std::string> facts = cache->known(key)->facts("other-compilers");
  return {facts.begin(), facts.end()};
}

void OwnHeader::make(clang::FileManager &files, UserCode &userCode,
                     const SystemIncludes::Scope &scope) {
  userCode.changeSources();
  const auto precompileNow = [&](llvm::StringRef sourceFile, HeaderRecord &record) {
    record.facts["base"] = {base};
    MakeAction action(scope, record);
    return precompile(*precompiler, files, action, sourceFile);
  };
  cache->make(key, source, {precompileNow, nullptr});
}

} // namespace gradtidy
