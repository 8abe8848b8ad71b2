using System.Collections.Immutable;
using System.Reflection;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Diagnostics;
using Raceway.Analyzers;

namespace Raceway.Gates.Tests.Docs.Examples;

/// <summary>The code of an example as a program: its statements run from the top, its types stand behind them.</summary>
internal static class ExampleCode
{
    private static readonly CSharpParseOptions s_options = new(LanguageVersion.Preview);

    // `Given.cs` has the using directives, and what an example takes for granted.
    private static readonly SyntaxTree s_given =
        CSharpSyntaxTree.ParseText(Tree.Read("tests", "Gates.Tests", "Docs", "Examples", "Given.cs"), s_options, "Given.cs");

    private static readonly ImmutableArray<DiagnosticAnalyzer> s_rules =
    [
        .. typeof(Rule).Assembly.GetTypes().Where(static type => !type.IsAbstract && typeof(DiagnosticAnalyzer).IsAssignableFrom(type))
            .Select(static type => (DiagnosticAnalyzer)Activator.CreateInstance(type)!),
    ];

    /// <summary>What stops it from compiling, and what our own rules for users find in it.</summary>
    public static async Task<string[]> MistakesAsync(string code)
    {
        SyntaxTree tree = CSharpSyntaxTree.ParseText(code, s_options, "Example.cs");
        bool isProgram = tree.GetCompilationUnitRoot().Members.Any(static one => one is GlobalStatementSyntax);
        CSharpCompilation program = CSharpCompilation.Create(
            "Example", [s_given, tree], XmlDocs.References,
            new CSharpCompilationOptions(
                isProgram ? OutputKind.ConsoleApplication : OutputKind.DynamicallyLinkedLibrary,
                nullableContextOptions: NullableContextOptions.Enable));
        IEnumerable<Diagnostic> errors = program.GetDiagnostics().Where(static one => one.Severity == DiagnosticSeverity.Error);
        IEnumerable<Diagnostic> found = await program.WithAnalyzers(s_rules).GetAnalyzerDiagnosticsAsync();
        return [.. errors.Concat(found.Where(one => one.Location.SourceTree == tree)).Select(static one => one.ToString())];
    }
}
