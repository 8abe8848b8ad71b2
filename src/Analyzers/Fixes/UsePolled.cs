using System.Composition;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeFixes;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Raceway.Analyzers.Fixes;

/// <summary>RACE014: a polled batch is given back at the end of its block.</summary>
[ExportCodeFixProvider(LanguageNames.CSharp)]
[Shared]
public sealed class UsePolled() : Fix("RACE014", "Dispose of it at the end of the block (using)")
{
    private protected override SyntaxNode? Change(SyntaxNode root, SyntaxNode node, SemanticModel model)
    {
        if (node.FirstAncestorOrSelf<LocalDeclarationStatementSyntax>() is not { Declaration.Variables: { Count: 1 } variables } declared) return null;
        if (variables[0].Initializer?.Value != node || !declared.MayBeUsing(model) || declared.IsLeftBehind()) return null;
        return root.ReplaceNode(declared, declared.WithUsing(isAwaited: false));
    }
}
