using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;

namespace Raceway.Analyzers;

/// <summary>RACE013: a single producer has one claim open at a time, and does nothing else meanwhile.</summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class HandleUsedWhileClaimOpen() : Rule(s_rule)
{
    private static readonly DiagnosticDescriptor s_rule = new(
        "RACE013",
        "A single producer is used while a claim of it is open",
        "A single producer has one claim open at a time: {0} throws while '{1}' is open. End that first, or publish through it.",
        Correctness,
        DiagnosticSeverity.Warning,
        isEnabledByDefault: true,
        helpLinkUri: PageOf("RACE013"));

    private protected override void Watch(CompilationStartAnalysisContext context, Api api) =>
        context.RegisterOperationAction(one => Look(one, api), OperationKind.Invocation);

    private static void Look(OperationAnalysisContext context, Api api)
    {
        var call = (IInvocationOperation)context.Operation;
        if (!Api.Is(call.Instance?.Type, api.SingleProducer) || Code.Named(call.Instance) is not { } handle) return;
        if (call.TargetMethod.Name == "Open")
        {
            if (Code.StoredInto(call) is not { } open) return;
            IOperation[] mentions = [.. Code.Mentions(Code.Function(call), open).OrderBy(static one => one.Start())];
            if (mentions.Any(static one => !Code.StaysHere(one))) return;
            IInvocationOperation? closed = mentions.Select(Code.CallOn).FirstOrDefault(static one => one?.TargetMethod.Name == "Dispose");
            Report(context, handle, call, closed?.Start() ?? BlockAround(call).End(), open.Name, one => Code.AreApart(call, one));
        }
        else if (Claiming.Of(call, api) is { Local: { } local } claim && !claim.Escapes() && claim.FirstEnd() is { } end)
        {
            Report(context, handle, call, end.Start(), local.Name, claim.MayBeElsewhere);
        }
    }

    private static IOperation BlockAround(IOperation operation)
    {
        IOperation at = operation;
        while (at.Parent is not null && at is not (IBlockOperation or IUsingOperation)) at = at.Parent;
        return at;
    }

    private static void Report(OperationAnalysisContext context, ISymbol handle, IInvocationOperation from, int to, string open, Func<IOperation, bool> isElsewhere)
    {
        foreach (IOperation one in Code.Own(Code.Function(from)))
        {
            if (one is not IInvocationOperation call || call.Start() < from.End() || call.Start() >= to || !Claims(call.TargetMethod.Name)) continue;
            if (!SymbolEqualityComparer.Default.Equals(Code.Named(call.Instance), handle) || isElsewhere(call)) continue;
            Found(context, s_rule, call, call.TargetMethod.Name, open);
            return;
        }
    }

    private static bool Claims(string method) => method is "Publish" or "TryPublish" or "PublishAsync" or "PublishPayload" or "TryPublishPayload"
        or "Claim" or "TryClaim" or "Open" or "WaitForRoomAsync";
}
