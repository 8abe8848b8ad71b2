using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;

namespace Raceway.Analyzers;

/// <summary>RACE014: what was polled belongs to its caller until it is disposed of, and holds producers back.</summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class PolledBatchNotDisposed() : Rule(s_rule)
{
    private static readonly DiagnosticDescriptor s_rule = new(
        "RACE014",
        "A polled batch is not disposed of",
        "A polled batch holds its slots until it is disposed of: {0} never is, so the next poll throws and producers wait. Declare it with 'using'.",
        Correctness,
        DiagnosticSeverity.Warning,
        isEnabledByDefault: true,
        helpLinkUri: PageOf("RACE014"));

    private protected override void Watch(CompilationStartAnalysisContext context, Api api) =>
        context.RegisterOperationAction(one => Look(one, api), OperationKind.Invocation);

    private static void Look(OperationAnalysisContext context, Api api)
    {
        var call = (IInvocationOperation)context.Operation;
        if (!Api.Is(call.TargetMethod.ContainingType, api.Poller) || call.TargetMethod.Name != "Poll") return;
        IOperation whole = Code.Outermost(call);
        if (Code.StoredInto(call) is { } local)
        {
            if (Code.IsUsing(call)) return;
            IOperation[] mentions = [.. Code.Mentions(Code.Function(call), local)];
            if (mentions.Any(static one => !Code.StaysHere(one) || Ends(one))) return;
            Found(context, s_rule, call, $"'{local.Name}'");
        }
        else if (Code.IsDropped(call) || whole.Parent is IForEachLoopOperation
            || (whole.Parent is IPropertyReferenceOperation { Property.Name: not "Status" } property && property.Instance == whole))
        {
            Found(context, s_rule, call, "this one");
        }
    }

    private static bool Ends(IOperation mention) =>
        Code.CallOn(mention)?.TargetMethod.Name is "Dispose" or "Fail" || Code.Outermost(mention).Parent is IUsingOperation;
}
