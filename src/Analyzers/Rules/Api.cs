using System.Runtime.CompilerServices;
using Microsoft.CodeAnalysis;

namespace Raceway.Analyzers;

/// <summary>The types of Raceway and of the runtime that rules speak of, looked up once for each compilation.</summary>
/// <remarks>A type that the compilation does not have is null, and equal to no type: its rules find nothing.</remarks>
internal sealed class Api
{
    private static readonly ConditionalWeakTable<Compilation, Api> s_known = new();

    private Api(Compilation compilation)
    {
        INamedTypeSymbol? Find(string name) => compilation.GetTypeByMetadataName(name);
        INamedTypeSymbol? Rings(string name) => Find($"Raceway.Rings.{name}");
        INamedTypeSymbol? Pipelines(string name) => Find($"Raceway.Pipelines.{name}");

        Ring = Rings("Ring");
        RingBuffer = Rings("RingBuffer`1");
        Slots = Rings("Slots`1");
        Producer = Rings("Producer`1");
        SingleProducer = Rings("SingleProducer`1");
        OpenProducer = Rings("OpenProducer`1");
        Claim = Rings("Claim`1");
        Batch = Rings("Batch`1");
        AsyncBatch = Rings("AsyncBatch`1");
        Payload = Rings("Payload");
        Dispatch = Rings("Dispatch");
        ClaimStatus = Rings("ClaimStatus");
        StageHandler = Rings("IStageHandler`1");
        BatchHandler = Rings("IBatchHandler`1");
        EventHandler = Rings("IEventHandler`1");
        OutcomeHandler = Rings("IOutcomeHandler`1");
        MapHandler = Rings("IMapHandler`2");
        IdleHandler = Rings("IIdleHandler");
        StageLifetime = Rings("IStageLifetime");
        Subscribing = Rings("Subscribing");

        PipelineStart = Pipelines("Pipeline");
        Pipeline = Pipelines("Pipeline`1");
        PipelineBuilder = Pipelines("PipelineBuilder`2");
        Publisher = Pipelines("Publisher`1");
        DroppingProducer = Pipelines("DroppingProducer`1");
        Poller = Pipelines("Poller`1");
        PolledBatch = Pipelines("PolledBatch`1");
        StageKind = Pipelines("StageKind`1");
        StageSite = Pipelines("StageSite`1");
        ExpandHandler = Pipelines("IExpandHandler`2");
        KeyHandler = Pipelines("IKeyHandler`2");

        Mailbox = Find("Raceway.Concurrency.Mailbox");

        Task = Find("System.Threading.Tasks.Task");
        TaskOfResult = Find("System.Threading.Tasks.Task`1");
        ValueTask = Find("System.Threading.Tasks.ValueTask");
        ValueTaskOfResult = Find("System.Threading.Tasks.ValueTask`1");
        TaskFactory = Find("System.Threading.Tasks.TaskFactory");
        Parallel = Find("System.Threading.Tasks.Parallel");
        Thread = Find("System.Threading.Thread");
        ThreadPool = Find("System.Threading.ThreadPool");
        Monitor = Find("System.Threading.Monitor");
        TimeSpan = Find("System.TimeSpan");
        Enumerable = Find("System.Linq.Enumerable");
    }

    public INamedTypeSymbol? Ring { get; }

    public INamedTypeSymbol? RingBuffer { get; }

    public INamedTypeSymbol? Slots { get; }

    public INamedTypeSymbol? Producer { get; }

    public INamedTypeSymbol? SingleProducer { get; }

    public INamedTypeSymbol? OpenProducer { get; }

    public INamedTypeSymbol? Claim { get; }

    public INamedTypeSymbol? Batch { get; }

    public INamedTypeSymbol? AsyncBatch { get; }

    public INamedTypeSymbol? Payload { get; }

    public INamedTypeSymbol? Dispatch { get; }

    public INamedTypeSymbol? ClaimStatus { get; }

    public INamedTypeSymbol? StageHandler { get; }

    public INamedTypeSymbol? BatchHandler { get; }

    public INamedTypeSymbol? EventHandler { get; }

    public INamedTypeSymbol? OutcomeHandler { get; }

    public INamedTypeSymbol? MapHandler { get; }

    public INamedTypeSymbol? IdleHandler { get; }

    public INamedTypeSymbol? StageLifetime { get; }

    public INamedTypeSymbol? Subscribing { get; }

    public INamedTypeSymbol? PipelineStart { get; }

    public INamedTypeSymbol? Pipeline { get; }

    public INamedTypeSymbol? PipelineBuilder { get; }

    public INamedTypeSymbol? Publisher { get; }

    public INamedTypeSymbol? DroppingProducer { get; }

    public INamedTypeSymbol? Poller { get; }

    public INamedTypeSymbol? PolledBatch { get; }

    public INamedTypeSymbol? StageKind { get; }

    public INamedTypeSymbol? StageSite { get; }

    public INamedTypeSymbol? ExpandHandler { get; }

    public INamedTypeSymbol? KeyHandler { get; }

    public INamedTypeSymbol? Mailbox { get; }

    public INamedTypeSymbol? Task { get; }

    public INamedTypeSymbol? TaskOfResult { get; }

    public INamedTypeSymbol? ValueTask { get; }

    public INamedTypeSymbol? ValueTaskOfResult { get; }

    public INamedTypeSymbol? TaskFactory { get; }

    public INamedTypeSymbol? Parallel { get; }

    public INamedTypeSymbol? Thread { get; }

    public INamedTypeSymbol? ThreadPool { get; }

    public INamedTypeSymbol? Monitor { get; }

    public INamedTypeSymbol? TimeSpan { get; }

    public INamedTypeSymbol? Enumerable { get; }

    /// <summary>The types of a compilation; null where it does not use Raceway, or is Raceway's ring itself.</summary>
    public static Api? Of(Compilation compilation)
    {
        Api api = s_known.GetValue(compilation, static compilation => new Api(compilation));
        return api.Ring is { } ring && !SymbolEqualityComparer.Default.Equals(ring.ContainingAssembly, compilation.Assembly) ? api : null;
    }

    /// <summary>Whether a type is <paramref name="known"/>, whatever its type arguments are.</summary>
    public static bool Is(ITypeSymbol? type, INamedTypeSymbol? known) =>
        known is not null && SymbolEqualityComparer.Default.Equals(type?.OriginalDefinition, known);

    /// <summary>Whether a type is <paramref name="known"/>, or derives from it.</summary>
    public static bool Inherits(ITypeSymbol? type, INamedTypeSymbol? known)
    {
        for (ITypeSymbol? at = type; at is not null; at = at.BaseType)
            if (Is(at, known)) return true;
        return false;
    }

    /// <summary>Whether a type is the interface <paramref name="known"/>, or has it.</summary>
    public static bool Implements(ITypeSymbol? type, INamedTypeSymbol? known) =>
        type is not null && (Is(type, known) || type.AllInterfaces.Any(one => Is(one, known)));

    public bool IsTask(ITypeSymbol? type) =>
        Is(type, Task) || Is(type, TaskOfResult) || Is(type, ValueTask) || Is(type, ValueTaskOfResult);

    /// <summary>Whether a type belongs to Raceway.</summary>
    public static bool IsOurs(ISymbol? symbol)
    {
        INamespaceSymbol? at = symbol?.ContainingNamespace;
        while (at is { ContainingNamespace.IsGlobalNamespace: false }) at = at.ContainingNamespace;
        return at?.Name == "Raceway" && at.ContainingNamespace.IsGlobalNamespace;
    }
}
