using System.Collections.Immutable;
using System.Reflection;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeActions;
using Microsoft.CodeAnalysis.CodeFixes;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Diagnostics;
using Raceway.Analyzers.Fixes;

namespace Raceway.Analyzers.Tests;

/// <summary>A program of a few lines: what the compiler and all rules say of it, and what a fix makes of it.</summary>
internal sealed class Snippet
{
    private const string Usings = """
        global using System;
        global using System.Collections.Generic;
        global using System.IO;
        global using System.Linq;
        global using System.Threading;
        global using System.Threading.Tasks;
        global using Raceway.Concurrency;
        global using Raceway.Pipelines;
        global using Raceway.Rings;
        """;

    // The version of the sources: what the language of .NET 10 allows, snippets may use.
    private static readonly CSharpParseOptions s_parse = new(LanguageVersion.Preview);

    private static readonly ImmutableArray<MetadataReference> s_references =
    [
        .. ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!).Split(Path.PathSeparator)
            .Where(static path => Path.GetFileName(path) is var name && (name.StartsWith("System.", StringComparison.Ordinal)
                || name is "netstandard.dll" or "Raceway.Rings.dll" or "Raceway.Pipelines.dll" or "Raceway.Concurrency.dll"))
            .Select(static path => MetadataReference.CreateFromFile(path)),
    ];

    private readonly Document _document;

    public Snippet(string code)
    {
        Code = code;
        using var workspace = new AdhocWorkspace();
        bool isProgram = CSharpSyntaxTree.ParseText(code, s_parse).GetCompilationUnitRoot().Members.Any(static one => one is GlobalStatementSyntax);
        var options = new CSharpCompilationOptions(
            isProgram ? OutputKind.ConsoleApplication : OutputKind.DynamicallyLinkedLibrary,
            allowUnsafe: true,
            nullableContextOptions: NullableContextOptions.Enable);
        ProjectInfo project = ProjectInfo.Create(
            ProjectId.CreateNewId(), default, "Snippet", "Snippet", LanguageNames.CSharp,
            compilationOptions: options, parseOptions: s_parse, metadataReferences: s_references);
        Project made = workspace.AddProject(project).AddDocument("Usings.cs", Usings).Project;
        _document = made.AddDocument("Snippet.cs", code);
    }

    /// <summary>Every rule that ships, each found by its type.</summary>
    public static ImmutableArray<DiagnosticAnalyzer> Rules { get; } = [.. Made<DiagnosticAnalyzer>(typeof(Rule).Assembly)];

    /// <summary>Every fix that ships.</summary>
    public static ImmutableArray<CodeFixProvider> Fixes { get; } = [.. Made<CodeFixProvider>(typeof(Fix).Assembly)];

    public string Code { get; }

    /// <summary>What stops it from compiling. Some errors, such as a ref struct that lives across an await, are found only when code is made.</summary>
    public async Task<string[]> ErrorsAsync() =>
        [.. (await CompiledAsync()).Emit(Stream.Null).Diagnostics.Where(static one => one.Severity == DiagnosticSeverity.Error).Select(static one => one.ToString())];

    /// <summary>What the rules say, as line and ID. A rule that throws is among them, as AD0001.</summary>
    public async Task<string[]> FoundAsync() =>
        [.. (await DiagnosticsAsync()).Select(static one => $"{one.Location.GetLineSpan().StartLinePosition.Line + 1}: {one.Id}")];

    /// <summary>The messages of the same.</summary>
    public async Task<string[]> MessagesAsync() => [.. (await DiagnosticsAsync()).Select(static one => one.GetMessage())];

    /// <summary>The code with the fix of the first finding applied; null where no fix is offered.</summary>
    public async Task<string?> FixedAsync()
    {
        Diagnostic diagnostic = (await DiagnosticsAsync())[0];
        List<CodeAction> offered = [];
        foreach (CodeFixProvider fix in Fixes.Where(fix => fix.FixableDiagnosticIds.Contains(diagnostic.Id)))
            await fix.RegisterCodeFixesAsync(new CodeFixContext(_document, diagnostic, (action, _) => offered.Add(action), default));
        if (offered.Count == 0) return null;
        ImmutableArray<CodeActionOperation> operations = await Assert.Single(offered).GetOperationsAsync(default);
        Solution changed = Assert.IsType<ApplyChangesOperation>(Assert.Single(operations)).ChangedSolution;
        return (await changed.GetDocument(_document.Id)!.GetTextAsync()).ToString();
    }

    private static IEnumerable<T> Made<T>(Assembly assembly) =>
        assembly.GetTypes().Where(static type => !type.IsAbstract && typeof(T).IsAssignableFrom(type)).Select(static type => (T)Activator.CreateInstance(type)!);

    private async Task<Compilation> CompiledAsync() => (await _document.Project.GetCompilationAsync())!;

    private async Task<Diagnostic[]> DiagnosticsAsync()
    {
        CompilationWithAnalyzers checkedBy = (await CompiledAsync()).WithAnalyzers(Rules);
        return [.. (await checkedBy.GetAnalyzerDiagnosticsAsync()).OrderBy(static one => one.Location.SourceSpan.Start)];
    }
}
