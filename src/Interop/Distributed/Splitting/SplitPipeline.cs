using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Interop.Distributed;

/// <summary>The definition of a pipeline that can be run in one process, or split over several at its links.</summary>
/// <remarks>
/// Parts and links follow each other. Each process has the same definition, and is told which parts it runs
/// (<see cref="SplitOptions.Parts"/>): parts beside each other become one pipeline, without the link between them; where a
/// link leads out, its sending stage comes last, and where one leads in, its source publishes and a last stage acknowledges.
/// <para><b>Order</b>: that of items of one key, at every stage, however it is split.</para>
/// <para><b>Threads</b>: defined by one; run as often as wanted. What <c>Part</c> is given is called for each run.</para>
/// </remarks>
/// <typeparam name="T">The item, in all parts; a part may have further columns of its own.</typeparam>
/// <example>
/// <code>
/// SplitPipeline&lt;Order> split = new SplitPipeline&lt;Order>("orders", capacity: 1024)
///     .Part("price", static part => part.Stage("price", static (ref Order order) => order.Price = order.Pieces * 0.25m))
///     .Link("priced", ItemCodec.Unmanaged&lt;Order>(), static (in Order order) => order.Customer)
///     .Part("book", static part => part.Stage("book", static (ref Order order) => accounts.Book(order)));
/// // In a process that books only; without options one process runs all parts:
/// await using SplitRun&lt;Order> run = await split.RunAsync(new() { Transport = transport, Parts = ["book"] }, cancellation);
/// </code>
/// </example>
public sealed class SplitPipeline<T>
{
    private readonly string _name;
    private readonly int _capacity;
    private readonly List<(string Name, Action<PipelineBuilder<T, T>, LinkSource<T>?> Define)> _parts = [];
    private readonly List<LinkDefinition> _links = [];

    /// <summary>Without a part.</summary>
    /// <param name="name">In front of the links' names: letters, digits, '.', '-', '_'.</param>
    /// <param name="capacity">Slots of each pipeline's ring: a power of two from 2 to 2³⁰.</param>
    public SplitPipeline(string name, int capacity)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        _name = name;
        _capacity = capacity;
    }

    /// <summary>Adds stages that run in the same process.</summary>
    /// <param name="name">Unique.</param>
    /// <param name="define">Adds one stage or more; the last one defined has to come after all others.</param>
    /// <exception cref="InvalidOperationException">There is no link before it.</exception>
    public SplitPipeline<T> Part(string name, Action<PipelineBuilder<T, T>> define)
    {
        ArgumentNullException.ThrowIfNull(define);
        return Part(name, (builder, _) => define(builder));
    }

    /// <summary>Adds stages that ask the link for positions or fencing tokens of the items it brings.</summary>
    /// <param name="name">Unique.</param>
    /// <param name="define">As above; it is given what brings items to this process, or null if none come from another.</param>
    /// <exception cref="InvalidOperationException">There is no link before it.</exception>
    public SplitPipeline<T> Part(string name, Action<PipelineBuilder<T, T>, LinkSource<T>?> define)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        ArgumentNullException.ThrowIfNull(define);
        if (_parts.Exists(part => part.Name == name)) throw LinkErrors.DefinedTwice("part", name);
        if (_parts.Count != _links.Count) throw LinkErrors.LinkPlace(name);
        _parts.Add((name, define));
        return this;
    }

    /// <summary>Adds a place to split at.</summary>
    /// <param name="name">Unique.</param>
    /// <param name="codec">How items become bytes.</param>
    /// <param name="key">What keeps items in order; see <see cref="LinkSender{T}.OpenAsync{TKey}"/>.</param>
    /// <param name="partitions">Into how many queues keys are spread: a few for each worker there may ever be.</param>
    /// <param name="generation">Counted up when <paramref name="partitions"/> changes.</param>
    /// <typeparam name="TKey">The key type.</typeparam>
    /// <exception cref="InvalidOperationException">There is no part before it.</exception>
    /// <exception cref="ArgumentException">Something is out of range.</exception>
    public SplitPipeline<T> Link<TKey>(
        string name, IItemCodec<T> codec, KeySelector<T, TKey> key, int partitions = 8, int generation = 0)
        where TKey : notnull, IEquatable<TKey>
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        ArgumentNullException.ThrowIfNull(codec);
        if (_links.Exists(link => link.Name == name)) throw LinkErrors.DefinedTwice("link", name);
        if (_parts.Count != _links.Count + 1) throw LinkErrors.LinkPlace(name);
        LinkAddress address = new LinkAddress($"{_name}.{name}", partitions, generation).Checked();
        _ = PartitionOf.Key(key, partitions);
        _links.Add(new LinkDefinition(
            name, address, codec,
            (transport, options, cancellation) =>
                LinkSender<T>.OpenAsync(transport, address, codec, key, options, cancellation)));
        return this;
    }

    /// <summary>The address of a link, to look at its queues.</summary>
    /// <exception cref="ArgumentException">There is no such link.</exception>
    public LinkAddress AddressOf(string link) =>
        _links.Find(one => one.Name == link)?.Address
        ?? throw new ArgumentException($"No such link: name='{link}'. Known: {string.Join(", ", _links.Select(one => one.Name))}.", nameof(link));

    /// <summary>Runs the parts of this process.</summary>
    /// <param name="options">Which; null for all.</param>
    /// <param name="cancellation">Gives up starting.</param>
    /// <exception cref="PipelineBuildException">A part is wrong.</exception>
    /// <exception cref="ArgumentException">An option is wrong.</exception>
    /// <exception cref="InvalidOperationException">A link needs a transport.</exception>
    /// <exception cref="LinkTransportException">The broker cannot be reached, or refuses.</exception>
    public async Task<SplitRun<T>> RunAsync(SplitOptions? options = null, CancellationToken cancellation = default)
    {
        if (_parts.Count != _links.Count + 1) throw LinkErrors.LinkPlace(_links.Count == 0 ? _name : _links[^1].Name);
        SplitOptions settled = (options ?? new SplitOptions()).Checked([.. _parts.Select(part => part.Name)]);
        var run = new SplitRun<T>(settled, _parts[0].Name);
        try
        {
            // The last first: what comes in finds a part that takes it.
            for (int last = _parts.Count - 1; last >= 0; last--)
            {
                if (!IsLocal(last, settled)) continue;
                int first = last;
                while (first > 0 && IsLocal(first - 1, settled)) first--;
                await AddAsync(run, first, last, settled, cancellation).ConfigureAwait(false);
                last = first;
            }
        }
        catch
        {
            await run.DisposeAsync().ConfigureAwait(false);
            throw;
        }

        return run;
    }

    private bool IsLocal(int part, SplitOptions options) => options.Parts?.Contains(_parts[part].Name) ?? true;

    private async Task AddAsync(SplitRun<T> run, int first, int last, SplitOptions options, CancellationToken cancellation)
    {
        LinkDefinition? incoming = first > 0 ? _links[first - 1] : null;
        LinkDefinition? outgoing = last < _links.Count ? _links[last] : null;
        if ((incoming ?? outgoing) is not null && options.Transport is null) throw LinkErrors.NoTransport(options.Parts ?? []);
        PipelineBuilder<T, T> builder = Pipeline.Of<T>(_capacity);
        LinkSource<T>? source =
            incoming is null ? null : new LinkSource<T>(incoming.Address, incoming.Codec, options.Link);
        for (int part = first; part <= last; part++) _parts[part].Define(builder, source);
        if (outgoing is not null)
        {
            LinkSender<T> sender = await outgoing.OpenAsync(options.Transport!, options.Link, cancellation).ConfigureAwait(false);
            run.Add(sender);
            // What is on its way stays in the batch: the largest that there is.
            builder.Stage($"send {outgoing.Name}", sender, Dispatch.Batch(max: _capacity));
        }

        if (source is not null) builder.Stage($"acknowledge {incoming!.Name}", source.Acknowledger);
        Pipeline<T> pipeline = builder.Build(options.Plan);
        run.Add(pipeline, source, first == 0);
        await pipeline.StartAsync().ConfigureAwait(false);
        if (source is null) return;
        await source.StartAsync(options.Transport!, pipeline, cancellation).ConfigureAwait(false);
        int[] owners = PartitionPlan.Assign(incoming!.Address.Partitions, options.Workers);
        await source.SubscribeAsync(Of(owners, options.Worker, own: true), cancellation).ConfigureAwait(false);
        run.StandBy(source, Of(owners, options.Worker, own: false));
    }

    private static int[] Of(int[] owners, int worker, bool own) =>
        [.. Enumerable.Range(0, owners.Length).Where(partition => (owners[partition] == worker) == own)];

    private sealed record LinkDefinition(
        string Name,
        LinkAddress Address,
        IItemCodec<T> Codec,
        Func<ILinkTransport, LinkOptions, CancellationToken, ValueTask<LinkSender<T>>> OpenAsync);
}
