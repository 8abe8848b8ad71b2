using System.Composition;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeFixes;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Raceway.Analyzers.Fixes;

/// <summary>RACE010: the least minimum that an age can bound.</summary>
[ExportCodeFixProvider(LanguageNames.CSharp)]
[Shared]
public sealed class AddMinimum() : Fix("RACE010", "Wait for at least two items (min: 2)")
{
    private protected override SyntaxNode? Change(SyntaxNode root, SyntaxNode node, SemanticModel model)
    {
        if (node.FirstAncestorOrSelf<InvocationExpressionSyntax>() is not { } call) return null;
        LiteralExpressionSyntax two = SyntaxFactory.LiteralExpression(SyntaxKind.NumericLiteralExpression, SyntaxFactory.Literal(2));
        SeparatedSyntaxList<ArgumentSyntax> arguments = call.ArgumentList.Arguments;
        ArgumentSyntax? given = arguments.FirstOrDefault(static one => one.NameColon?.Name.Identifier.ValueText == "min")
            ?? arguments.Skip(1).FirstOrDefault(one => one.NameColon is null && arguments.IndexOf(one) == 1);
        if (given is not null) return root.ReplaceNode(given.Expression, two.WithTriviaFrom(given.Expression));
        ArgumentSyntax added = SyntaxFactory.Argument(SyntaxFactory.NameColon("min").WithTrailingTrivia(SyntaxFactory.Space), default, two);
        ArgumentSyntax age = arguments.First(static one => one.NameColon?.Name.Identifier.ValueText == "maxAge");
        return root.ReplaceNode(call.ArgumentList, call.ArgumentList.WithArguments(arguments.Insert(arguments.IndexOf(age), added)).NormalizeCommas());
    }
}
