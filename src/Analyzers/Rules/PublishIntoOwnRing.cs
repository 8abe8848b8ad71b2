using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;

namespace Raceway.Analyzers;

/// <summary>RACE006: a handler that waits for room in its own ring waits for itself; the ring throws instead.</summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class PublishIntoOwnRing() : Rule(s_rule)
{
    private static readonly DiagnosticDescriptor s_rule = new(
        "RACE006",
        "A handler publishes into its own ring and waits for room",
        "Only the handler itself can make room in its ring: {0} into '{1}' throws ReentrantPublishException when the ring is full. Use a Try call and handle its answer, or publish into another ring.",
        Correctness,
        DiagnosticSeverity.Warning,
        isEnabledByDefault: true,
        helpLinkUri: PageOf("RACE006"));

    private protected override void Watch(CompilationStartAnalysisContext context, Api api) =>
        context.RegisterOperationAction(one => Look(one, api), OperationKind.Invocation);

    private static void Look(OperationAnalysisContext context, Api api)
    {
        var call = (IInvocationOperation)context.Operation;
        if (call.TargetMethod.Name is not ("Publish" or "PublishPayload" or "PublishAsync" or "Claim") || call.Instance is null) return;
        if (!Api.Inherits(call.Instance.Type, api.Producer) && !Api.Is(call.Instance.Type, api.Publisher)) return;
        if (Code.Function(call) is not IAnonymousFunctionOperation handler || Handling.TakerOf(handler) is not { } taker) return;
        if (HandledBy(taker, api) is not { } own || PublishedInto(call.Instance, api) is not { } target) return;
        if (SymbolEqualityComparer.Default.Equals(own, target))
            Found(context, s_rule, call, call.TargetMethod.Name, own.Name);
    }

    /// <summary>The variable of the ring or pipeline that a call gives a handler to.</summary>
    private static ISymbol? HandledBy(IInvocationOperation call, Api api)
    {
        if (Api.Is(call.Instance?.Type, api.RingBuffer)) return Code.Named(call.Instance);
        if (Api.Is(call.TargetMethod.ContainingType, api.Subscribing)) return RingOf(call.Arguments[0].Value, api);
        IOperation at = call;
        while (true)
        {
            IOperation whole = Code.Outermost(at);
            switch (whole.Parent)
            {
                // The next call of the chain; at its end Run or Build gives the pipeline.
                case IInvocationOperation next when next.Instance == whole && Api.Is(next.TargetMethod.ContainingType, api.PipelineBuilder):
                    at = next;
                    continue;
                // The end of a branch: the chain goes on with the call that the branch is given to.
                case IReturnOperation or IExpressionStatementOperation
                    when Code.Function(whole) is IAnonymousFunctionOperation branch && Handling.TakerOf(branch) is { TargetMethod.Name: "Fork" } fork:
                    at = fork;
                    continue;
                case ISimpleAssignmentOperation assignment when Api.Is(at.Type, api.Pipeline):
                    return Code.Named(assignment.Target);
                case IVariableInitializerOperation { Parent: IVariableDeclaratorOperation declared } when Api.Is(at.Type, api.Pipeline):
                    return declared.Symbol;
                default:
                    return null;
            }
        }
    }

    /// <summary>The variable of the ring or pipeline that a producer publishes into.</summary>
    private static ISymbol? PublishedInto(IOperation producer, Api api)
    {
        if (Made(producer, api) is { } direct) return direct;
        if (Code.Named(producer) is not { } variable) return null;
        ISymbol?[] values =
        [
            .. Code.Member(producer).Descendants().Select(one => one switch
            {
                IVariableDeclaratorOperation { Initializer: { } given } declared when SymbolEqualityComparer.Default.Equals(declared.Symbol, variable) => given.Value,
                ISimpleAssignmentOperation assignment when SymbolEqualityComparer.Default.Equals(Code.Named(assignment.Target), variable) => assignment.Value,
                _ => null,
            }).Where(static value => value is { ConstantValue: not { HasValue: true, Value: null } } && Code.Innermost(value) is not IDefaultValueOperation)
            .Select(value => Made(value!, api)),
        ];
        return values.Length == 1 ? values[0] : null;
    }

    // pipeline.Publisher, ring.CreateProducer() and their like.
    private static ISymbol? Made(IOperation value, Api api) => Code.Innermost(value) switch
    {
        IPropertyReferenceOperation { Property.Name: "Publisher", Instance: { } pipeline } when Api.Is(pipeline.Type, api.Pipeline) => Code.Named(pipeline),
        IInvocationOperation { TargetMethod.Name: "CreateProducer" or "CreateMultiProducer" or "CreateAnyProducer", Instance: { } maker } => RingOf(maker, api),
        _ => null,
    };

    private static ISymbol? RingOf(IOperation value, Api api) => Code.Innermost(value) switch
    {
        IPropertyReferenceOperation { Property.Name: "Ring" or "Slots", Instance: { } owner }
            when Api.Is(owner.Type, api.Pipeline) || Api.Is(owner.Type, api.RingBuffer) => RingOf(owner, api),
        var named => Code.Named(named),
    };
}
