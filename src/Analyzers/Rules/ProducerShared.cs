using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;

namespace Raceway.Analyzers;

/// <summary>RACE003: a producer is a handle for one thread at a time; two that use it at once lose items.</summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class ProducerShared() : Rule(s_rule)
{
    private static readonly DiagnosticDescriptor s_rule = new(
        "RACE003",
        "A producer is used by several threads",
        "A producer is used by one thread at a time: '{0}' is captured by several threads or tasks. Give each a producer of its own (CreateMultiProducer), or use the pipeline's Publisher.",
        Correctness,
        DiagnosticSeverity.Warning,
        isEnabledByDefault: true,
        helpLinkUri: PageOf("RACE003"));

    // Of whatever it is: what takes turns by a semaphore, a monitor or a lock object is not shared at once.
    private static readonly string[] s_locks = ["Wait", "WaitAsync", "WaitOne", "Enter", "EnterScope", "TryEnter"];

    private static readonly string[] s_waits = ["Wait", "WaitAll", "WaitAny", "Join", "GetResult", "WaitOne"];

    private protected override void Watch(CompilationStartAnalysisContext context, Api api) =>
        context.RegisterOperationAction(one => Look(one, api), OperationKind.Invocation, OperationKind.ObjectCreation);

    private static void Look(OperationAnalysisContext context, Api api)
    {
        IOperation start = context.Operation;
        if (Started(start, api) is not { Length: > 0 } functions) return;
        foreach (ISymbol producer in functions.SelectMany(one => Captured(one, api)).Distinct(SymbolEqualityComparer.Default).OfType<ISymbol>())
        {
            if (IsShared(start, functions, producer, api))
                Found(context, s_rule, start, producer.Name);
        }
    }

    private static bool IsShared(IOperation start, IOperation[] functions, ISymbol producer, Api api)
    {
        bool Uses(IOperation one) => Captured(one, api).Contains(producer, SymbolEqualityComparer.Default);

        if (start is IInvocationOperation { TargetMethod: var method } && Api.Is(method.ContainingType, api.Parallel))
            return method.Name != "Invoke" || functions.Count(Uses) > 1;
        if (IsAwaited(start)) return false;
        // One for each item of a query, or each round of a loop.
        IOperation around = Code.Function(start);
        if (around is IAnonymousFunctionOperation query && IsCalledForEach(query, api) && Code.IsOutside(producer, query)) return true;
        if (Code.LoopAround(start) is { } loop && Code.IsOutside(producer, loop) && !WaitsIn(loop.Body, 0, int.MaxValue)) return true;
        // A second one beside a first. In between nothing waits for anything, so nothing waits for the first.
        return Code.Own(around)
            .Where(one => one.Start() < start.Start() && Started(one, api).Any(Uses) && !IsAwaited(one))
            .Any(one => !WaitsIn(around, one.End(), start.Start()) && !Code.AreApart(one, start));
    }

    /// <summary>The lambdas and methods that a call runs on other threads.</summary>
    private static IOperation[] Started(IOperation operation, Api api)
    {
        IEnumerable<IArgumentOperation>? arguments = operation switch
        {
            IInvocationOperation call when Starts(call.TargetMethod, api) => call.Arguments,
            IObjectCreationOperation made when Api.Is(made.Type, api.Thread) => made.Arguments,
            _ => null,
        };
        return arguments is null ? [] : [.. arguments.SelectMany(static one => one.Value is IArrayCreationOperation { Initializer: { } given }
            ? given.ElementValues : System.Collections.Immutable.ImmutableArray.Create(one.Value))
            .Select(Code.GivenFunction).OfType<IOperation>()];
    }

    private static bool Starts(IMethodSymbol method, Api api) =>
        (Api.Is(method.ContainingType, api.Task) && method.Name == "Run")
        || (Api.Is(method.ContainingType, api.TaskFactory) && method.Name == "StartNew")
        || (Api.Is(method.ContainingType, api.ThreadPool) && method.Name is "QueueUserWorkItem" or "UnsafeQueueUserWorkItem")
        || Api.Is(method.ContainingType, api.Parallel);

    // Used without a lock, and not handed from one thread to the next.
    private static IEnumerable<ISymbol> Captured(IOperation function, Api api) =>
        from one in function.Descendants()
        where one is ILocalReferenceOperation or IParameterReferenceOperation or IFieldReferenceOperation or IPropertyReferenceOperation
        where Api.Inherits(one.Type, api.Producer) && Code.CallOn(one) is not null && !IsLocked(one, function)
        let producer = Code.Named(one)
        where producer is not null && IsOneForAll(producer) && Code.IsOutside(producer, function)
            && !Code.Mentions(function, producer).Any(static use => Code.CallOn(use)?.TargetMethod.Name is "ReleaseThread" or "TryReleaseThread")
        select producer;

    // Not a field that each thread has for itself, nor a property that may give another producer each time.
    private static bool IsOneForAll(ISymbol producer) => producer switch
    {
        IFieldSymbol field => !field.GetAttributes().Any(static one => one.AttributeClass?.Name == "ThreadStaticAttribute"),
        IPropertySymbol property => property.ContainingType.GetMembers().OfType<IFieldSymbol>()
            .Any(field => SymbolEqualityComparer.Default.Equals(field.AssociatedSymbol, property)),
        _ => true,
    };

    private static bool IsLocked(IOperation use, IOperation function)
    {
        if (function.Descendants().Any(static one => one is IInvocationOperation call && s_locks.Contains(call.TargetMethod.Name))) return true;
        for (IOperation? at = use.Parent; at is not null && at != function; at = at.Parent)
            if (at is ILockOperation) return true;
        return false;
    }

    private static bool IsCalledForEach(IAnonymousFunctionOperation lambda, Api api) =>
        Code.Outermost(lambda).Parent is IDelegateCreationOperation made
        && Code.Outermost(made).Parent is IArgumentOperation { Parent: IInvocationOperation call } && Api.Is(call.TargetMethod.ContainingType, api.Enumerable);

    private static bool IsAwaited(IOperation start) => Code.Outermost(start) is var whole && whole.Parent switch
    {
        IAwaitOperation => true,
        IInvocationOperation call => call.Instance == whole && call.TargetMethod.Name is "Wait" or "GetAwaiter" or "ConfigureAwait" or "WaitAsync",
        IPropertyReferenceOperation => true,
        _ => false,
    };

    private static bool WaitsIn(IOperation part, int from, int to) => Code.Own(part).Any(one =>
        one.Start() >= from && one.End() <= to
        && (one is IAwaitOperation || (one is IInvocationOperation call && s_waits.Contains(call.TargetMethod.Name))));
}
