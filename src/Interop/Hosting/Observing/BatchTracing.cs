using System.Diagnostics;
using Raceway.Rings;

namespace Raceway.Interop.Hosting;

/// <summary>Where an item carries the context of the activity that published it; default where it carries none.</summary>
/// <typeparam name="T">The item type.</typeparam>
public delegate ActivityContext ItemContext<T>(ref T item);

/// <summary>Spans for the batches of a stage, linked to what published their items.</summary>
/// <remarks>
/// <para>A batch holds items of many traces, so its span is the root of a trace of its own, with a link to each context that its
/// items carry. Publish with <c>Activity.Current?.Context ?? default</c> in a field of the item.</para>
/// <para><b>Cost</b>: without a listener one look a batch, and nothing is allocated. With one, the span and the list of its
/// links.</para>
/// </remarks>
/// <example>
/// <code>
/// await using Pipeline&lt;Message> pipeline = Pipeline.Of&lt;Message>(1024)
///     .Stage("save", save.Traced("save", static (ref Message message) => message.Context))
///     .Run();
/// pipeline.Publisher.Publish(new Message { Context = Activity.Current?.Context ?? default });
/// </code>
/// </example>
public static class BatchTracing
{
    /// <summary>The name of the <see cref="ActivitySource"/>: what a listener or an exporter asks for.</summary>
    public const string SourceName = "Raceway.Pipelines";

    /// <summary>The most links of a span; more are counted in its tag <c>raceway.batch.unlinked</c>.</summary>
    public const int MaxLinks = 128;

    private static readonly ActivitySource s_source = new(SourceName, typeof(BatchTracing).Assembly.GetName().Version?.ToString(3));

    /// <summary>The same handler, with a span around each call.</summary>
    /// <param name="handler">The handler; its optional interfaces are called as before.</param>
    /// <param name="name">Of the spans: that of the stage.</param>
    /// <param name="contextOf">Where an item carries its context.</param>
    /// <typeparam name="T">The item type.</typeparam>
    public static IBatchHandler<T> Traced<T>(this IBatchHandler<T> handler, string name, ItemContext<T> contextOf)
    {
        Check(handler, name, contextOf);
        return new TracedHandler<T>(handler, name, contextOf);
    }

    /// <summary>The same handler, with a span around each call, until its task completes.</summary>
    /// <inheritdoc cref="Traced{T}(IBatchHandler{T}, string, ItemContext{T})"/>
    public static IAsyncBatchHandler<T> Traced<T>(this IAsyncBatchHandler<T> handler, string name, ItemContext<T> contextOf)
    {
        Check(handler, name, contextOf);
        return new TracedAsyncHandler<T>(handler, name, contextOf);
    }

    /// <summary>Whether there is a listener.</summary>
    internal static bool IsOn => s_source.HasListeners();

    /// <summary>A span, where a listener wants this one.</summary>
    internal static Activity? Start(string name, Links links, long sequence, int count, CloseReason reason)
    {
        // What the stage's thread was started in has nothing to do with its items.
        Activity.Current = null;
        return s_source.StartActivity(
            ActivityKind.Consumer, name: name, links: links.All,
            tags:
            [
                new("raceway.stage.name", name), new("raceway.batch.size", count), new("raceway.batch.sequence", sequence),
                new("raceway.batch.close_reason", reason.ToString().ToLowerInvariant()), new("raceway.batch.unlinked", links.Unlinked),
            ]);
    }

    internal static void Fail(Activity? span, Exception fault)
    {
        span?.SetStatus(ActivityStatusCode.Error, fault.Message);
        span?.AddException(fault);
    }

    private static void Check(object handler, string name, Delegate contextOf)
    {
        ArgumentNullException.ThrowIfNull(handler);
        ArgumentException.ThrowIfNullOrWhiteSpace(name);
        ArgumentNullException.ThrowIfNull(contextOf);
    }

    /// <summary>Links to the contexts of items, those of neighbours that share one taken together.</summary>
    internal struct Links()
    {
        private ActivityContext _last;

        public List<ActivityLink> All { get; } = [];

        public int Unlinked { get; private set; }

        public void Add(ActivityContext context)
        {
            if (context == default || context == _last) return;
            _last = context;
            if (All.Count < MaxLinks) All.Add(new ActivityLink(context));
            else Unlinked++;
        }
    }
}
