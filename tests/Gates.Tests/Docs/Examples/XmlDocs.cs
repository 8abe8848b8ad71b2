using System.Collections.Immutable;
using System.Xml.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Raceway.Gates.Tests.Api;

namespace Raceway.Gates.Tests.Docs.Examples;

/// <summary>The documentation comments of what users can reach, as the packages carry them.</summary>
internal static class XmlDocs
{
    private static readonly string[] s_libraries = [.. PublicApiTests.Libraries.Select(static row => row.Data)];

    /// <summary>What a program may refer to: the runtime, the libraries, and what they and their tests need.</summary>
    public static ImmutableArray<MetadataReference> References { get; } =
    [
        .. ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!).Split(Path.PathSeparator)
            .Select(static path => MetadataReference.CreateFromFile(path)),
    ];

    /// <summary>Everything that the libraries show, by the names that comments give it: <c>T:Raceway.Rings.Ring</c>.</summary>
    public static IReadOnlyDictionary<string, ISymbol> Shown { get; } = FindShown();

    /// <summary>The comment of each of them that has one.</summary>
    public static IReadOnlyDictionary<string, XElement> Comments { get; } =
        s_libraries.SelectMany(static library => XDocument.Load(Path.Combine(AppContext.BaseDirectory, $"{library}.xml")).Descendants("member"))
            .Select(static member => (Name: member.Attribute("name")!.Value, Comment: member))
            .Where(static one => Shown.ContainsKey(one.Name))
            .ToDictionary(static one => one.Name, static one => one.Comment);

    private static Dictionary<string, ISymbol> FindShown()
    {
        Dictionary<string, ISymbol> shown = [];
        CSharpCompilation all = CSharpCompilation.Create("All", references: References);
        foreach (IAssemblySymbol assembly in all.SourceModule.ReferencedAssemblySymbols.Where(static one => s_libraries.Contains(one.Name)))
            AddMembers(assembly.GlobalNamespace, shown);
        return shown;
    }

    private static void AddMembers(INamespaceOrTypeSymbol container, Dictionary<string, ISymbol> shown)
    {
        foreach (ISymbol member in container.GetMembers())
        {
            if (member is not INamespaceSymbol)
            {
                if (member.DeclaredAccessibility is not (Accessibility.Public or Accessibility.Protected or Accessibility.ProtectedOrInternal)) continue;
                shown.Add(member.GetDocumentationCommentId()!, member);
            }

            if (member is INamespaceOrTypeSymbol inner) AddMembers(inner, shown);
        }
    }
}
