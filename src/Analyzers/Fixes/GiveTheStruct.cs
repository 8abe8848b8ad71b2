using System.Composition;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeFixes;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Raceway.Analyzers.Fixes;

/// <summary>RACE009: the call that takes the struct as it is.</summary>
[ExportCodeFixProvider(LanguageNames.CSharp)]
[Shared]
public sealed class GiveTheStruct() : Fix("RACE009", "Give the struct as it is")
{
    private protected override SyntaxNode? Change(SyntaxNode root, SyntaxNode node, SemanticModel model)
    {
        if (node.FirstAncestorOrSelf<ArgumentSyntax>() is not { Parent.Parent: InvocationExpressionSyntax { Expression: MemberAccessExpressionSyntax access } call } argument) return null;
        if (model.GetTypeInfo(argument.Expression).ConvertedType is not INamedTypeSymbol wanted || Kind(wanted) is not { } kind) return null;
        if (model.GetSymbolInfo(call).Symbol is not IMethodSymbol method) return null;
        ExpressionSyntax handler = argument.Expression is CastExpressionSyntax cast ? cast.Expression : argument.Expression;
        InvocationExpressionSyntax given = call.ReplaceNode(argument.Expression, handler.WithTriviaFrom(argument.Expression));
        switch (method.Name)
        {
            case "Subscribe" when method.ContainingType.Name == "RingBuffer":
                ExpressionSyntax slots = SyntaxFactory.MemberAccessExpression(
                    SyntaxKind.SimpleMemberAccessExpression, access.Expression.WithoutTrailingTrivia(), SyntaxFactory.IdentifierName("Slots"));
                return root.ReplaceNode(call, given.WithExpression(access.WithExpression(slots).WithName(SyntaxFactory.IdentifierName($"Subscribe{kind}"))));
            case "Subscribe":
                return root.ReplaceNode(call, given.WithMethod($"Subscribe{kind}"));
            case "Attach":
                return root.ReplaceNode(call, given.WithMethod($"Attach{kind}"));
            case "Stage" when kind != "Maps":
                string item = wanted.TypeArguments[0].ToMinimalDisplayString(model, node.SpanStart);
                ExpressionSyntax made = SyntaxFactory.ParseExpression($"StageKind<{item}>.{kind}({handler})");
                return root.ReplaceNode(argument.Expression, made.WithTriviaFrom(argument.Expression));
            default:
                return null;
        }
    }

    private static string? Kind(INamedTypeSymbol wanted) => wanted.Name switch
    {
        "IBatchHandler" => "Batches",
        "IEventHandler" => "Events",
        "IOutcomeHandler" => "Outcomes",
        "IMapHandler" => "Maps",
        _ => null,
    };
}
