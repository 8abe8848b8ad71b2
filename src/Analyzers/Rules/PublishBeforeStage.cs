using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;

namespace Raceway.Analyzers;

/// <summary>RACE008: a stage that joins a running ring sees what is published from then on; what came before is lost.</summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class PublishBeforeStage() : Rule(s_rule)
{
    private static readonly DiagnosticDescriptor s_rule = new(
        "RACE008",
        "Items are published before the ring has a stage",
        "A stage that joins a running ring sees what is published from then on: '{0}' is started, and published into, before its first stage is there, so no stage handles these items. Subscribe the stage before the start.",
        Correctness,
        DiagnosticSeverity.Warning,
        isEnabledByDefault: true,
        helpLinkUri: PageOf("RACE008"));

    private protected override void Watch(CompilationStartAnalysisContext context, Api api) =>
        context.RegisterOperationAction(one => Look(one, api), OperationKind.Invocation);

    private static void Look(OperationAnalysisContext context, Api api)
    {
        var start = (IInvocationOperation)context.Operation;
        if (start.TargetMethod.Name is not ("Start" or "StartAsync") || !Api.Is(start.Instance?.Type, api.RingBuffer)) return;
        if (Code.Named(start.Instance) is not ILocalSymbol ring) return;
        IOperation function = Code.Function(start);
        // Made here, so that no other code can have given it a stage.
        if (!function.Descendants().Any(one => one is IObjectCreationOperation && SymbolEqualityComparer.Default.Equals(Code.StoredInto(one), ring))) return;
        IOperation[] mentions = [.. Code.Mentions(function, ring).OrderBy(static one => one.Start())];
        ILocalSymbol?[] producers = [.. mentions.Select(Code.CallOn).Where(IsMakingAProducer).Select(static one => Code.StoredInto(one!))];
        IInvocationOperation? publish = Code.Own(function).OfType<IInvocationOperation>()
            .Where(one => one.Start() > start.Start() && IsPublishing(one, producers)).OrderBy(static one => one.Start()).FirstOrDefault();
        // The first mention that may give it a stage.
        IOperation? stage = mentions.FirstOrDefault(one => Attaches(one) || !Code.StaysHere(one) || HandsOnSlots(one, api));
        if (publish is null || stage is null || !Attaches(stage) || stage.Start() < publish.Start()) return;
        // Neither in a loop, where what is later in the source may come earlier.
        if (Code.LoopAround(stage) is not null) return;
        Found(context, s_rule, publish, ring.Name);
    }

    private static bool IsMakingAProducer(IInvocationOperation? call) =>
        call?.TargetMethod.Name is "CreateProducer" or "CreateMultiProducer" or "CreateAnyProducer";

    private static bool IsPublishing(IInvocationOperation call, ILocalSymbol?[] producers) =>
        call.TargetMethod.Name is "Publish" or "TryPublish" or "PublishAsync" or "PublishPayload" or "TryPublishPayload" or "Claim" or "TryClaim"
        && call.Instance is not null && Code.Named(call.Instance) is ILocalSymbol producer && producers.Contains(producer, SymbolEqualityComparer.Default);

    // Its slots, or a column of it, by which other code may give it a stage.
    private static bool HandsOnSlots(IOperation mention, Api api)
    {
        IOperation? part = (IOperation?)Code.CallOn(mention) ?? Code.Outermost(mention).Parent as IPropertyReferenceOperation;
        return part is not null && Api.Is(part.Type, api.Slots) && !Code.StaysHere(part);
    }

    // By itself, or by its slots: ring.Slots.SubscribeBatches(…).
    private static bool Attaches(IOperation mention)
    {
        if (Code.CallOn(mention)?.TargetMethod.Name == "Subscribe") return true;
        return Code.Outermost(mention).Parent is IPropertyReferenceOperation { Property.Name: "Slots" } slots
            && Code.Outermost(slots).Parent is IArgumentOperation { Parent: IInvocationOperation call }
            && call.TargetMethod.Name.StartsWith("Subscribe", StringComparison.Ordinal);
    }
}
