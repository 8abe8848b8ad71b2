using System.Composition;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeFixes;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Raceway.Analyzers.Fixes;

/// <summary>RACE007: a mailbox awaits a handler that takes a token as well.</summary>
[ExportCodeFixProvider(LanguageNames.CSharp)]
[Shared]
public sealed class TakeAToken() : Fix("RACE007", "Take a CancellationToken, so that the mailbox awaits the handler")
{
    private protected override SyntaxNode? Change(SyntaxNode root, SyntaxNode node, SemanticModel model)
    {
        LambdaExpressionSyntax? lambda = node as LambdaExpressionSyntax ?? (node as ArgumentSyntax)?.Expression as LambdaExpressionSyntax;
        if (lambda?.FirstAncestorOrSelf<InvocationExpressionSyntax>() is not { } call) return null;
        if (model.GetSymbolInfo(call).Symbol is not IMethodSymbol { Name: "Start", ContainingType.Name: "Mailbox" }) return null;
        ParameterSyntax token = SyntaxFactory.Parameter(SyntaxFactory.Identifier("cancellation"));
        SyntaxToken comma = SyntaxFactory.Token(SyntaxKind.CommaToken).WithTrailingTrivia(SyntaxFactory.Space);
        switch (lambda)
        {
            case SimpleLambdaExpressionSyntax simple:
                ParameterListSyntax two = SyntaxFactory.ParameterList(SyntaxFactory.SeparatedList<ParameterSyntax>(
                    new SyntaxNodeOrToken[] { simple.Parameter.WithoutTrivia(), comma, token })).WithTrailingTrivia(SyntaxFactory.Space);
                return root.ReplaceNode(simple, SyntaxFactory.ParenthesizedLambdaExpression(
                    simple.AttributeLists, simple.Modifiers, null, two, simple.ArrowToken, simple.Block, simple.ExpressionBody));
            case ParenthesizedLambdaExpressionSyntax { ParameterList.Parameters: { Count: 1 } parameters } given:
                if (parameters[0].Type is not null) token = token.WithType(SyntaxFactory.ParseTypeName("CancellationToken").WithTrailingTrivia(SyntaxFactory.Space));
                SeparatedSyntaxList<ParameterSyntax> both = SyntaxFactory.SeparatedList<ParameterSyntax>(new SyntaxNodeOrToken[] { parameters[0], comma, token });
                return root.ReplaceNode(given.ParameterList, given.ParameterList.WithParameters(both));
            default:
                return null;
        }
    }
}
