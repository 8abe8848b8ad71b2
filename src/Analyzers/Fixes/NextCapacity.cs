using System.Composition;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeFixes;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Raceway.Analyzers.Fixes;

/// <summary>RACE016: the least power of two that holds as many.</summary>
[ExportCodeFixProvider(LanguageNames.CSharp)]
[Shared]
public sealed class NextCapacity() : Fix("RACE016", "Take the next power of two")
{
    private protected override SyntaxNode? Change(SyntaxNode root, SyntaxNode node, SemanticModel model)
    {
        ExpressionSyntax? value = node as ExpressionSyntax ?? (node as ArgumentSyntax)?.Expression;
        // A constant that has a name is changed where it is declared, and for all that use it.
        if (value is not LiteralExpressionSyntax || model.GetConstantValue(value).Value is not int capacity) return null;
        int next = CapacityNotPowerOfTwo.Next(capacity);
        return root.ReplaceNode(value, SyntaxFactory.LiteralExpression(SyntaxKind.NumericLiteralExpression, SyntaxFactory.Literal(next)).WithTriviaFrom(value));
    }
}
