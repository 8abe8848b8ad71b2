using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Testing;

/// <summary>Runs a pipeline on the test's own thread, by a seed and by virtual time.</summary>
/// <example>
/// <code>
/// using PipelineHarness&lt;Payment&gt; harness = PipelineHarness.Run(Define(accounts), new() { Seed = 3 });
/// harness.Source.Send(payment);
/// harness.Advance(TimeSpan.FromSeconds(30));
/// Assert.Single(accounts.Booked);
/// </code>
/// </example>
public static class PipelineHarness
{
    /// <summary>Builds <paramref name="definition"/> under <see cref="Plan.Manual"/> and starts it.</summary>
    /// <remarks>The definition keeps the virtual time, and a disposal that does not drain.</remarks>
    /// <param name="definition">As the application makes it.</param>
    /// <param name="options">How it is stepped; null for the defaults.</param>
    /// <typeparam name="TSource">What producers publish.</typeparam>
    /// <typeparam name="T">What the definition's last stage is called for.</typeparam>
    /// <exception cref="PipelineBuildException">The definition is wrong; the message has all problems.</exception>
    public static PipelineHarness<TSource> Run<TSource, T>(PipelineBuilder<TSource, T> definition, HarnessOptions<TSource>? options = null)
    {
        ArgumentNullException.ThrowIfNull(definition);
        options ??= new HarnessOptions<TSource>();
        options.Check();
        VirtualTime time = options.Time ?? new VirtualTime();
        definition.Configure(ring => ring with { Time = time, DrainTimeout = TimeSpan.Zero });
        return new PipelineHarness<TSource>(definition.Build(Plan.Manual), options, time);
    }
}
