using System.Composition;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeFixes;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Raceway.Analyzers.Fixes;

/// <summary>RACE002: the second variable becomes another name for the first.</summary>
[ExportCodeFixProvider(LanguageNames.CSharp)]
[Shared]
public sealed class UseARef() : Fix("RACE002", "Refer to it instead of copying it")
{
    private protected override SyntaxNode? Change(SyntaxNode root, SyntaxNode node, SemanticModel model)
    {
        if (node is not IdentifierNameSyntax copied || node.FirstAncestorOrSelf<LocalDeclarationStatementSyntax>() is not { Declaration: { Variables.Count: 1 } declaration } declared) return null;
        if (declaration.Variables[0].Initializer?.Value != node || declared.UsingKeyword.ValueText.Length > 0) return null;
        // A claim by two names would still be ended twice.
        if (model.GetTypeInfo(copied).Type?.Name != "OpenProducer" || !MayBeReferred(model.GetSymbolInfo(copied).Symbol)) return null;
        SyntaxToken byRef = SyntaxFactory.Token(SyntaxKind.RefKeyword).WithTrailingTrivia(SyntaxFactory.Space);
        TypeSyntax type = SyntaxFactory.RefType(byRef, declaration.Type.WithoutLeadingTrivia()).WithLeadingTrivia(declaration.Type.GetLeadingTrivia());
        VariableDeclarationSyntax changed = declaration
            .ReplaceNode(copied, SyntaxFactory.RefExpression(byRef, copied.WithoutTrivia()).WithTriviaFrom(copied))
            .WithType(type);
        return root.ReplaceNode(declaration, changed);
    }

    private static bool MayBeReferred(ISymbol? original) => original switch
    {
        ILocalSymbol local => !local.IsUsing && !local.IsForEach && local.RefKind != RefKind.RefReadOnly
            && !(local.DeclaringSyntaxReferences.FirstOrDefault()?.GetSyntax() is VariableDeclaratorSyntax { Parent.Parent: UsingStatementSyntax }),
        IParameterSymbol parameter => parameter.RefKind is RefKind.None or RefKind.Ref or RefKind.Out,
        _ => false,
    };
}
