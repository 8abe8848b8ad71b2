using System.Xml.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace Raceway.Gates.Tests.Sources;

/// <summary>What is built only with -p:PeerPackages=true is at least looked at: its syntax, not its meaning.</summary>
public sealed class PeerSourceTests
{
    private static readonly CSharpParseOptions s_options = new(LanguageVersion.Preview, preprocessorSymbols: ["PEER_DISRUPTOR"]);

    public static TheoryData<string> Folders =>
        ["src/Interop/Disruptor", "tests/Interop.Tests/DisruptorNet", "bench/Suites/RingSuite/Disruptor"];

    [Theory]
    [MemberData(nameof(Folders))]
    public void Sources_OfThePeer_HaveNoSyntaxErrors(string folder)
    {
        string[] files = Directory.GetFiles(Path.Combine(Tree.Root, folder), "*.cs");

        Assert.NotEmpty(files);
        Assert.All(files, static file => Assert.Empty(ErrorsOf(File.ReadAllText(file))));
    }

    [Fact]
    public void Source_WithAMistakeBehindTheSymbol_HasAnError() =>
        Assert.NotEmpty(ErrorsOf("#if PEER_DISRUPTOR\ninternal sealed class A { void M( { } }\n#endif\n"));

    [Fact]
    public void Status_OfTheAdapter_IsAboutThePackageThatIsPinned()
    {
        string version = XDocument.Load(Path.Combine(Tree.Root, "Directory.Packages.props")).Descendants("PackageVersion")
            .Single(package => package.Attribute("Include")!.Value == "Disruptor").Attribute("Version")!.Value;

        Assert.Contains(
            $"| Package | Disruptor {version} |", Tree.Read("src/Interop/Disruptor/STATUS.md"),
            StringComparison.Ordinal);
    }

    private static IEnumerable<Diagnostic> ErrorsOf(string source) =>
        CSharpSyntaxTree.ParseText(source, s_options).GetDiagnostics().Where(found => found.Severity == DiagnosticSeverity.Error);
}
