using System.Composition;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeFixes;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Raceway.Analyzers.Fixes;

/// <summary>RACE011: what runs ends with its block.</summary>
[ExportCodeFixProvider(LanguageNames.CSharp)]
[Shared]
public sealed class AwaitUsing() : Fix("RACE011", "Dispose of it at the end of the block (await using)")
{
    private protected override SyntaxNode? Change(SyntaxNode root, SyntaxNode node, SemanticModel model)
    {
        if (node.FirstAncestorOrSelf<LocalDeclarationStatementSyntax>() is not { Declaration.Variables: { Count: 1 } variables } declared) return null;
        if (variables[0].Initializer?.Value != node || !IsAsync(declared) || !declared.MayBeUsing(model)) return null;
        return root.ReplaceNode(declared, declared.WithUsing(isAwaited: true));
    }

    private static bool IsAsync(SyntaxNode statement)
    {
        foreach (SyntaxNode one in statement.Ancestors())
        {
            switch (one)
            {
                case GlobalStatementSyntax:
                    return true;
                case AnonymousFunctionExpressionSyntax lambda:
                    return lambda.AsyncKeyword.ValueText.Length > 0;
                case LocalFunctionStatementSyntax function:
                    return function.Modifiers.Any(SyntaxKind.AsyncKeyword);
                case BaseMethodDeclarationSyntax method:
                    return method.Modifiers.Any(SyntaxKind.AsyncKeyword);
            }
        }

        return false;
    }
}
