using Raceway.Rings;

namespace Raceway.Pipelines;

/// <summary>What a stage does with its items: one object for each kind of handler, also for kinds of your own.</summary>
/// <remarks>
/// <para>A struct handler is given by its factory: <c>Stage("sum", StageKind&lt;long&gt;.Batches(new Sum()))</c>. Its calls are
/// direct and may be inlined. A copy of it is the stage's: keep what is to be read outside in an object.</para>
/// <para><b>Your own kind</b>: derive from this class and attach a handler of your own in <see cref="Attach"/>, by the site
/// it is given. The site knows which items the stage is for, so a kind works behind filters and as one of several
/// workers too.</para>
/// </remarks>
/// <typeparam name="T">The item type.</typeparam>
/// <example>
/// <code>
/// await using Pipeline&lt;Order> pipeline = Pipeline.Of&lt;Order>(1024)
///     .Stage("price", StageKind&lt;Order>.Events(new Price()))  // a struct: its call is inlined
///     .Stage("book", new Named(write))
///     .Run();
///
/// internal struct Price : IEventHandler&lt;Order>
/// {
///     public void OnEvent(ref Order item, long sequence, bool endOfBatch) => item.Price = item.Pieces * 0.25m;
/// }
///
/// internal sealed class Named(IBatchHandler&lt;Order> handler) : StageKind&lt;Order>
/// {
///     public override Stage Attach(StageSite&lt;Order> site) => site.Attach(handler);
/// }
/// </code>
/// </example>
public abstract class StageKind<T> : IStageHandler<T>
{
    /// <summary>Whether its handler awaits, and so may hold a batch without a thread.</summary>
    public virtual bool Awaits => false;

    /// <summary>A struct handler of batches.</summary>
    public static StageKind<T> Batches<THandler>(THandler handler)
        where THandler : struct, IBatchHandler<T> => new Given(site => site.AttachBatches(handler));

    /// <summary>A struct handler of single items.</summary>
    public static StageKind<T> Events<THandler>(THandler handler)
        where THandler : struct, IEventHandler<T> => new Given(site => site.AttachEvents(handler));

    /// <summary>A struct handler that returns what has become of its batch.</summary>
    public static StageKind<T> Outcomes<THandler>(THandler handler)
        where THandler : struct, IOutcomeHandler<T> => new Given(site => site.AttachOutcomes(handler));

    /// <summary>Attaches the stage. Called once for each stage of each pipeline that is built.</summary>
    /// <returns>What one of the site's own methods has returned.</returns>
    public abstract Stage Attach(StageSite<T> site);

    /// <summary>Attaches the stage, and looks whether it is the one that the site asked for.</summary>
    /// <exception cref="ArgumentException">It is not.</exception>
    internal Stage AttachTo(StageSite<T> site)
    {
        Stage? stage = Attach(site);
        return stage is not null && stage.Owner == site.Slots.Ring && stage.Name == site.Options.Name ? stage : throw new ArgumentException(
            $"A kind of stage attaches one stage by its site, and returns it: stage='{site.Options.Name}', "
            + $"{GetType().Name}.Attach returned {(stage is null ? "null" : $"'{stage.Name}'")}. Return what the site's method has returned.");
    }

    internal static StageKind<T> Of(SlotAction<T> handler) => new Given(site => site.Attach(handler));

    internal static StageKind<T> Of<TKey>(KeySelector<T, TKey> key, IKeyHandler<T, TKey> handler)
        where TKey : notnull, IEquatable<TKey> => new Given(site => site.AttachKeys(key, handler));

    /// <summary>The kind of an object: what it was declared as, or else the one interface that its class has.</summary>
    internal static StageKind<T> Of<THandler>(THandler handler)
        where THandler : class, IStageHandler<T>
    {
        GivenHandlers.NotBoxed(handler);
        if (handler is StageKind<T> kind) return kind;
        bool any = typeof(THandler) is { IsInterface: false } || typeof(THandler) == typeof(IStageHandler<T>);
        List<StageKind<T>> kinds = [];
        if (handler is IEventHandler<T> events && Is<THandler, IEventHandler<T>>(any)) kinds.Add(new Given(site => site.Attach(events)));
        if (handler is IBatchHandler<T> batches && Is<THandler, IBatchHandler<T>>(any)) kinds.Add(new Given(site => site.Attach(batches)));
        if (handler is IOutcomeHandler<T> outcomes && Is<THandler, IOutcomeHandler<T>>(any))
            kinds.Add(new Given(site => site.Attach(outcomes)));
        if (handler is IAsyncBatchHandler<T> awaits && Is<THandler, IAsyncBatchHandler<T>>(any))
            kinds.Add(new Given(site => site.Attach(awaits), awaits: true));
        if (handler is IAsyncOutcomeHandler<T> both && Is<THandler, IAsyncOutcomeHandler<T>>(any))
            kinds.Add(new Given(site => site.Attach(both), awaits: true));
        return kinds is [{ } only] ? only : throw new ArgumentException(
            $"A handler must say which calls it takes: {handler.GetType().Name} has {kinds.Count} of the handler interfaces for "
            + $"{typeof(T).Name}. Cast it to the one that is meant, e.g. (IBatchHandler<{typeof(T).Name}>)handler.", nameof(handler));
    }

    // Of an interface that was declared, that one and those that it has; of a class, all.
    private static bool Is<THandler, TInterface>(bool any) => any || typeof(TInterface).IsAssignableFrom(typeof(THandler));

    private sealed class Given(Func<StageSite<T>, Stage> attach, bool awaits = false) : StageKind<T>
    {
        public override bool Awaits => awaits;

        public override Stage Attach(StageSite<T> site) => attach(site);
    }
}

/// <summary>Where a stage is attached: its slots, its options, and which items it is for.</summary>
/// <typeparam name="T">The item type.</typeparam>
public readonly struct StageSite<T>
{
    private readonly Slots<T>? _slots;
    private readonly StageInput _input;

    internal StageSite(Slots<T> slots, StageInput input, StageOptions options) => (_slots, _input, Options) = (slots, input, options);

    /// <summary>The slots of its items.</summary>
    /// <exception cref="InvalidOperationException">It is no site that a kind was given.</exception>
    public Slots<T> Slots => _slots ?? throw new InvalidOperationException(
        "A site is what StageKind.Attach is given: this one is the default of its type. Attach there.");

    /// <summary>How it is called, with its name and what it follows.</summary>
    public StageOptions Options { get; }

    /// <summary>Whether the stage is for every item of its slots: behind no filter or router, and not one of several workers.</summary>
    public bool IsForEveryItem => Input.IsPlain;

    // The slots first: of a site that is none, the input is none either.
    private StageInput Input => Slots is null ? default : _input;

    /// <summary>Attaches a stage that is called an item at a time.</summary>
    public Stage Attach(SlotAction<T> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return Input.Attach(Slots, handler, Options);
    }

    /// <inheritdoc cref="Attach(SlotAction{T})"/>
    public Stage Attach(IEventHandler<T> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return Input.Attach(Slots, handler, Options);
    }

    /// <summary>Attaches a stage that is called a batch at a time.</summary>
    public Stage Attach(IBatchHandler<T> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return Input.Attach(Slots, handler, Options);
    }

    /// <summary>Attaches a stage with a handler that awaits.</summary>
    public Stage Attach(IAsyncBatchHandler<T> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return Input.Attach(Slots, handler, Options);
    }

    /// <summary>Attaches a stage with a handler that returns what has become of its batch.</summary>
    /// <exception cref="ArgumentException">It is not for every item.</exception>
    public Stage Attach(IOutcomeHandler<T> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return Input.Attach(Slots, handler, Options);
    }

    /// <summary>Attaches a stage with a handler that awaits and returns what has become of its batch.</summary>
    /// <exception cref="ArgumentException">It is not for every item.</exception>
    public Stage Attach(IAsyncOutcomeHandler<T> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return Input.Attach(Slots, handler, Options);
    }

    /// <summary>Attaches a struct handler of batches: its calls are direct and may be inlined.</summary>
    public Stage AttachBatches<THandler>(THandler handler)
        where THandler : struct, IBatchHandler<T> => Input.AttachBatches(Slots, handler, Options);

    /// <summary>Attaches a struct handler of single items: its calls are direct and may be inlined.</summary>
    public Stage AttachEvents<THandler>(THandler handler)
        where THandler : struct, IEventHandler<T> => Input.AttachEvents(Slots, handler, Options);

    /// <summary>Attaches a struct handler that returns what has become of its batch: its calls are direct and may be inlined.</summary>
    /// <exception cref="ArgumentException">It is not for every item.</exception>
    public Stage AttachOutcomes<THandler>(THandler handler)
        where THandler : struct, IOutcomeHandler<T> => Input.AttachOutcomes(Slots, handler, Options);

    internal Stage AttachKeys<TKey>(KeySelector<T, TKey> key, IKeyHandler<T, TKey> handler)
        where TKey : notnull, IEquatable<TKey> => Input.AttachKeys(Slots, key, handler, Options);
}
