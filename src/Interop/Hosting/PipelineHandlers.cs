using System.Diagnostics.CodeAnalysis;
using Microsoft.Extensions.DependencyInjection;

namespace Raceway.Interop.Hosting;

/// <summary>Makes the handlers of a hosted pipeline out of its host's services.</summary>
/// <remarks><b>Threads</b>: one at a time, while the pipeline is defined.</remarks>
/// <example>
/// <code>
/// static void Define(PipelineBuilder&lt;Payment, Payment> pipeline, PipelineHandlers handlers) =>
///     pipeline.Stage("book", handlers.Get&lt;Booking>());
///
/// builder.Services.AddPipeline&lt;Payment>("payments", Define);
/// </code>
/// </example>
public sealed class PipelineHandlers
{
    private readonly IServiceProvider _services;
    private readonly string _pipeline;
    private readonly Dictionary<Type, object> _made = [];
    private readonly List<object> _order = [];

    internal PipelineHandlers(IServiceProvider services, string pipeline)
    {
        _services = services;
        _pipeline = pipeline;
    }

    /// <summary>The host's services.</summary>
    public IServiceProvider Services => _services;

    /// <summary>The handler of that type: one for this pipeline, however often it is asked for.</summary>
    /// <remarks>
    /// <para>The service registered under the pipeline's name, where there is one: it is the container's to dispose of. Else a
    /// new object, with what its constructor asks for taken from the services: it is disposed of when the pipeline has ended,
    /// the last one made first. One registered without a key is not taken, as pipelines would share it; ask
    /// <see cref="Services"/> for that.</para>
    /// </remarks>
    /// <typeparam name="THandler">Its type.</typeparam>
    /// <exception cref="InvalidOperationException">Its constructor asks for something that is not registered.</exception>
    public THandler Get<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] THandler>()
        where THandler : class
    {
        if (_services.GetKeyedService<THandler>(_pipeline) is { } registered) return registered;
        if (_made.TryGetValue(typeof(THandler), out object? made)) return (THandler)made;
        THandler handler = ActivatorUtilities.CreateInstance<THandler>(_services);
        _made.Add(typeof(THandler), handler);
        _order.Add(handler);
        return handler;
    }

    /// <summary>Disposes of what was made here, the last one first; all of it, also where one throws.</summary>
    internal async ValueTask DisposeAsync()
    {
        List<Exception> faults = [];
        for (int i = _order.Count - 1; i >= 0; i--)
        {
            try
            {
                if (_order[i] is IAsyncDisposable later) await later.DisposeAsync().ConfigureAwait(false);
                else (_order[i] as IDisposable)?.Dispose();
            }
            catch (Exception fault)
            {
                faults.Add(fault);
            }
        }

        _order.Clear();
        if (faults.Count > 0) throw new AggregateException($"Handlers of the pipeline '{_pipeline}' failed in their disposal.", faults);
    }
}
