using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;

namespace Raceway.Analyzers;

/// <summary>RACE015: a try call says whether it has done anything; an item that found no room is gone otherwise.</summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class TryAnswerIgnored() : Rule(s_rule)
{
    private static readonly DiagnosticDescriptor s_rule = new(
        "RACE015",
        "The answer of a try call is ignored",
        "A try call does nothing when there is no room, and says so: the answer of {0} is ignored here. Look at it, or use a call that waits.",
        Correctness,
        DiagnosticSeverity.Warning,
        isEnabledByDefault: true,
        helpLinkUri: PageOf("RACE015"));

    private protected override void Watch(CompilationStartAnalysisContext context, Api api) =>
        context.RegisterOperationAction(one => Look(one, api), OperationKind.ExpressionStatement);

    private static void Look(OperationAnalysisContext context, Api api)
    {
        // An explicit discard says that it is known, and meant.
        if (Code.Called(((IExpressionStatementOperation)context.Operation).Operation) is not { } call) return;
        if (!call.TargetMethod.Name.StartsWith("Try", StringComparison.Ordinal) || !Api.Is(call.Type, api.ClaimStatus)) return;
        Found(context, s_rule, call, call.TargetMethod.Name);
    }
}
