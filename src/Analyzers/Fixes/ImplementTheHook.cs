using System.Composition;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeFixes;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Raceway.Analyzers.Fixes;

/// <summary>RACE017: the type implements the interface of its hooks, if it has all of them.</summary>
[ExportCodeFixProvider(LanguageNames.CSharp)]
[Shared]
public sealed class ImplementTheHook() : Fix("RACE017", "Implement the interface of the hook")
{
    private protected override SyntaxNode? Change(SyntaxNode root, SyntaxNode node, SemanticModel model)
    {
        if (node is not MethodDeclarationSyntax { Parent: TypeDeclarationSyntax { BaseList: { } bases } } hook) return null;
        if (model.GetDeclaredSymbol(hook) is not { ContainingType: { } type }) return null;
        string? name = hook.Identifier.ValueText switch
        {
            "OnIdle" => "IIdleHandler",
            "OnStart" or "OnStop" when Has(type, "OnStart") && Has(type, "OnStop") => "IStageLifetime",
            _ => null,
        };
        if (name is null || model.Compilation.GetTypeByMetadataName($"Raceway.Rings.{name}") is not { } wanted) return null;

        // The new name stands directly behind the last one, and takes over what follows that.
        BaseTypeSyntax last = bases.Types[bases.Types.Count - 1];
        BaseTypeSyntax added = SyntaxFactory.SimpleBaseType(SyntaxFactory.ParseTypeName(wanted.ToMinimalDisplayString(model, bases.SpanStart)))
            .WithTrailingTrivia(last.GetTrailingTrivia());
        SyntaxToken comma = SyntaxFactory.Token(SyntaxKind.CommaToken).WithTrailingTrivia(SyntaxFactory.Space);
        SyntaxNodeOrTokenList all = bases.Types.Replace(last, last.WithoutTrailingTrivia()).GetWithSeparators().Add(comma).Add(added);
        return root.ReplaceNode(bases, bases.WithTypes(SyntaxFactory.SeparatedList<BaseTypeSyntax>(all)));
    }

    private static bool Has(INamedTypeSymbol type, string name) =>
        type.GetMembers(name).OfType<IMethodSymbol>().Any(static method =>
            method is { DeclaredAccessibility: Accessibility.Public, IsStatic: false, ReturnsVoid: true, Arity: 0 } && method.Parameters.Length == 0);
}
