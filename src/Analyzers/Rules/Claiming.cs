using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Operations;

namespace Raceway.Analyzers;

/// <summary>A claim that a method holds in a local: where it begins, and where it ends.</summary>
internal sealed class Claiming
{
    private Claiming(IInvocationOperation call, ILocalSymbol? local)
    {
        Call = call;
        Local = local;
        Mentions = local is null ? [] : [.. Code.Mentions(Code.Function(call), local).OrderBy(static one => one.Start())];
    }

    /// <summary>The call that claims.</summary>
    public IInvocationOperation Call { get; }

    /// <summary>The claim's variable; null where the claim is used, dropped or handed on at once.</summary>
    public ILocalSymbol? Local { get; }

    /// <summary>Every mention of it, in the order of the source.</summary>
    public IReadOnlyList<IOperation> Mentions { get; }

    /// <summary>The producer that claims.</summary>
    public ISymbol? Handle => Code.Named(Call.Instance);

    /// <summary>The claim that a call of a producer makes; null where it is another call.</summary>
    public static Claiming? Of(IInvocationOperation call, Api api)
    {
        if (!Api.Is(call.TargetMethod.ContainingType, api.Producer)) return null;
        return call.TargetMethod.Name switch
        {
            "Claim" => new Claiming(call, Code.StoredInto(call)),
            "TryClaim" => new Claiming(call, Code.FilledBy(call)),
            _ => null,
        };
    }

    /// <summary>Whether a mention ends the claim.</summary>
    public static bool Ends(IOperation mention) => Code.CallOn(mention)?.TargetMethod.Name is "Commit" or "Abort" or "Dispose";

    /// <summary>Whether it is handed to other code, which may end it.</summary>
    public bool Escapes() => Mentions.Any(static one => !Code.StaysHere(one));

    /// <summary>Whether an operation behind the call may run with nothing claimed: where the call has failed, or in another branch.</summary>
    /// <remarks>A call that tries is followed by branches for both answers. Those of the claim speak of it.</remarks>
    public bool MayBeElsewhere(IOperation operation)
    {
        if (Code.AreApart(Call, operation)) return true;
        bool isTried = Call.TargetMethod.Name == "TryClaim";
        for (IOperation at = operation; at.Parent is { } parent; at = parent)
        {
            bool isBranch = parent is ICatchClauseOperation
                || (isTried && ((parent is IConditionalOperation choice && at != choice.Condition) || parent is ISwitchCaseOperation
                    || (parent is ILoopOperation loop && at == loop.Body && !loop.Body.Syntax.Span.Contains(Call.Syntax.Span))));
            if (isBranch && !Mentions.Any(one => at.Syntax.Span.Contains(one.Syntax.Span))) return true;
        }

        return false;
    }

    /// <summary>Where it ends, as the source is read; null where no such call follows.</summary>
    public IInvocationOperation? FirstEnd() => Mentions.Where(one => one.Start() > Call.Start()).Where(Ends).Select(Code.CallOn).FirstOrDefault();
}
