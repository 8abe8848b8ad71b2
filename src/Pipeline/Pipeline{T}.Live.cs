using Raceway.Rings;

namespace Raceway.Pipelines;

/// <content>Stages join and leave while it runs.</content>
public sealed partial class Pipeline<T>
{
    private readonly object _changing = new();

    /// <summary>Attaches stages: before the start, or to a pipeline that runs, which does not stop for it.</summary>
    /// <remarks>
    /// <para>They see what is published, or passed by the stages they follow, from then on, without a gap; before the start
    /// everything. The first reads what producers publish unless <c>After</c> names stages of the pipeline, each further one follows the one before
    /// it. They hold slots back like others, and are driven by themselves: by a thread each, by the pool under
    /// <see cref="Plan.Pooled"/>, by the caller under <see cref="Plan.Manual"/>. A poller is its user's, as always.</para>
    /// <para>Under <see cref="Plan.RingPerStage"/> only the last ring can be joined, by following one of its stages: what the
    /// others hold is passed on.</para>
    /// <para>A stage has cells of some hundred bytes in its ring's memory, which stay there when it leaves: a ring that stages join
    /// and leave for ever grows by them.</para>
    /// </remarks>
    /// <param name="define">Adds stages to the definition it is given.</param>
    /// <returns>The stages, in their order.</returns>
    /// <exception cref="PipelineBuildException">The stages are wrong; the message has all problems.</exception>
    /// <exception cref="InvalidOperationException">The pipeline is draining or has ended.</exception>
    public IReadOnlyList<Stage> Attach(Action<PipelineBuilder<T, T>> define)
    {
        ArgumentNullException.ThrowIfNull(define);
        lock (_changing)
        {
            // One that has left by its policy cannot be followed, and its name is free.
            var present = new Dictionary<string, Stage>(_stages.Where(static known => !known.Value.IsLeaving), StringComparer.Ordinal);
            List<Stage> joined = LiveStages.Attach<T>(define, _rings.Linked, present, _choice, _nodes);
            var stages = new Dictionary<string, Stage>(_stages, StringComparer.Ordinal);
            foreach (Stage stage in joined)
            {
                // Behind those that it follows, also where its name was used before.
                stages.Remove(stage.Name);
                stages.Add(stage.Name, stage);
            }

            _stages = stages;
            return joined;
        }
    }

    /// <summary>Adds a poller behind all last stages: it sees what they have passed, and holds producers back.</summary>
    /// <remarks>
    /// Pollers stand beside each other: each sees every item, and none waits for what another has not polled. It sees what is
    /// passed from now on; before the start, everything. For items of another type than producers publish, define a poller.
    /// </remarks>
    /// <param name="name">The name of its stage. Default: one that is free.</param>
    /// <exception cref="PipelineBuildException">The pipeline does not end in items of this type, or not in one ring; or the name is taken.</exception>
    /// <exception cref="InvalidOperationException">It is draining or has ended.</exception>
    public Poller<T> AttachPoller(string? name = null)
    {
        lock (_changing)
        {
            string stage = name ?? FreeName();
            // Earlier segments end where they feed later ones.
            IReadOnlyList<Stage> last = RingEnds.LastOf([.. Stages.Where(one => one.Ring == Rings[^1] && !one.IsLeaving)]);
            Attach(definition => definition.After([.. last.Select(static one => one.Name)]).Poller(stage));
            return GetPoller<T>(stage);
        }
    }

    /// <summary>Takes a stage out of the pipeline, which goes on; completes when the stage has ended. Its name is free then.</summary>
    /// <remarks>A stage that has left already, by its policy (<see cref="Stage.Fault"/>), is forgotten, and not waited for.</remarks>
    /// <param name="name">A stage that no other follows.</param>
    /// <exception cref="KeyNotFoundException">There is none.</exception>
    /// <exception cref="ArgumentException">Another call is taking it out.</exception>
    /// <exception cref="InvalidOperationException">Others follow it, or are fed by it, or the pipeline is draining or has ended.</exception>
    public async Task DetachAsync(string name)
    {
        Stage stage = this[name];
        if (stage.IsLeaving && stage.Fault is not null)
        {
            Forget(stage);
            return;
        }

        Task left = stage.Owner.DetachAsync(stage);
        // Refused at once, where it is; a handler that takes its own stage out does not wait.
        if (!left.IsFaulted) Forget(stage);
        await left.ConfigureAwait(false);
    }

    private string FreeName()
    {
        int number = 1;
        while (_stages.ContainsKey($"poller-{number}")) number++;
        return $"poller-{number}";
    }

    private void Forget(Stage stage)
    {
        lock (_changing)
        {
            // Another one may have taken its name meanwhile.
            if (!_stages.TryGetValue(stage.Name, out Stage? known) || known != stage) return;
            var stages = new Dictionary<string, Stage>(_stages, StringComparer.Ordinal);
            stages.Remove(stage.Name);
            _nodes.Pollers.Remove(stage.Name, out _);
            _stages = stages;
        }
    }
}
