using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;

namespace Raceway.Analyzers;

/// <summary>RACE001: a claim that is never committed publishes nothing, and may hold up everything behind it.</summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class ClaimNotCommitted() : Rule(s_rule)
{
    private static readonly DiagnosticDescriptor s_rule = new(
        "RACE001",
        "A claim is not committed",
        "A claim publishes its slots when it is committed: '{0}' is never committed. Call Commit() once the slots are filled, or Abort() to give them up.",
        Correctness,
        DiagnosticSeverity.Warning,
        isEnabledByDefault: true,
        helpLinkUri: PageOf("RACE001"));

    private protected override void Watch(CompilationStartAnalysisContext context, Api api) =>
        context.RegisterOperationAction(one => Look(one, api), OperationKind.Invocation);

    private static void Look(OperationAnalysisContext context, Api api)
    {
        var call = (IInvocationOperation)context.Operation;
        if (Claiming.Of(call, api) is { } claim)
        {
            if (claim.Local is { } local)
            {
                if (claim.Mentions.Any(Settles) || claim.Escapes()) return;
                // In a `using`, and nothing written: it is taken to be given up.
                if (Code.IsUsing(call) && !claim.Mentions.Any(Writes)) return;
                Report(context, local.Name);
            }
            else if (IsLost(call))
            {
                Report(context, call.Syntax.ToString());
            }
        }
        else if (Api.Is(call.TargetMethod.ContainingType, api.OpenProducer) && call.TargetMethod.Name == "Claim"
            && call.Instance is ILocalReferenceOperation { Local: var open })
        {
            // Its claims are ended by the open producer itself. To give one up is to do nothing, so one commit will do.
            IOperation[] mentions = [.. Code.Mentions(Code.Function(call), open)];
            if (mentions.Any(static one => !Code.StaysHere(one) || Code.CallOn(one)?.TargetMethod.Name == "Commit")) return;
            Report(context, call.Syntax.ToString());
        }
    }

    private static bool Settles(IOperation mention) => Code.CallOn(mention)?.TargetMethod.Name is "Commit" or "Abort";

    private static bool Writes(IOperation mention) => Code.Outermost(mention).Parent is IForEachLoopOperation
        or IPropertyReferenceOperation { Property: { Name: "Slot" or "First" or "Second" } or { IsIndexer: true } };

    private static bool IsLost(IInvocationOperation call)
    {
        if (call.TargetMethod.Name == "TryClaim") return false;
        IOperation whole = Code.Outermost(call);
        return Code.IsDropped(call) || (whole.Parent is IPropertyReferenceOperation property && property.Instance == whole);
    }

    private static void Report(OperationAnalysisContext context, string what) =>
        Found(context, s_rule, context.Operation, what);
}
