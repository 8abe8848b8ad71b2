using System.Diagnostics.Metrics;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;
using Microsoft.Extensions.Primitives;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Interop.Hosting;

/// <content>From the host's start to its end.</content>
public sealed partial class HostedPipeline<T>
{
    private PipelineMeter? _meter;
    private IDisposable? _changes;
    private readonly CancellationTokenSource _hurry = new();
    private readonly TaskCompletionSource _stopped = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _stopping;

    /// <summary>Starts the stages; returns when their start hooks have.</summary>
    /// <param name="cancellation">Ends the wait for a hook that does not return.</param>
    internal async Task StartAsync(CancellationToken cancellation)
    {
        BuiltPipeline<T> built = Ready;
        Pipeline<T> pipeline = built.Pipeline;
        Task start = pipeline.StartAsync();
        // Where the wait is given up, a hook may throw later: the pipeline's completion has that.
        _ = start.ContinueWith(
            static gone => gone.Exception, CancellationToken.None,
            TaskContinuationOptions.OnlyOnFaulted | TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
        await start.WaitAsync(cancellation).ConfigureAwait(false);
        _meter = pipeline.CreateMeter(Name, _services.GetService<IMeterFactory>());
        FollowChanges(built);
        _ = WatchAsync(pipeline, _services.GetService<IHostApplicationLifetime>());
        Logger.Started(
            Name, string.Join(", ", pipeline.Stages.Select(stage => stage.Name)), pipeline.Plan, pipeline.PlanReason,
            pipeline.Ring.Capacity);
    }

    /// <summary>Drains while there is time, then halts, and says what was left. Where that is under way already, nothing.</summary>
    /// <param name="drainTimeout">The time for the drain; the options have that for the halt.</param>
    /// <param name="hurry">Ends the drain as well.</param>
    internal async Task StopAsync(TimeSpan drainTimeout, CancellationToken hurry)
    {
        if (_built is not { } built || Interlocked.Exchange(ref _stopping, 1) != 0) return;
        using var either = CancellationTokenSource.CreateLinkedTokenSource(hurry, _hurry.Token);
        try
        {
            await EndAsync(built, drainTimeout, either.Token).ConfigureAwait(false);
        }
        finally
        {
            _stopped.SetResult();
        }
    }

    private async Task EndAsync(BuiltPipeline<T> built, TimeSpan drainTimeout, CancellationToken hurry)
    {
        _changes?.Dispose();
        Pipeline<T> pipeline = built.Pipeline;
        long began = _time.GetTimestamp();
        Logger.Draining(Name, pipeline.Backlog);
        // What was never started will not get there by waiting.
        if (pipeline.State == RingState.Created) drainTimeout = TimeSpan.Zero;
        DrainStatus status = await DrainAsync(pipeline, drainTimeout, built.Options.HaltTimeout, hurry).ConfigureAwait(false);
        StageLag[] lagging = [.. pipeline.Stages.Select(stage => new StageLag(stage.Name, stage.Lag)).Where(stage => stage.Lag > 0)];
        bool ended = await HaltAsync(pipeline, built.Options.HaltTimeout).ConfigureAwait(false);
        long left = ended ? pipeline.Unprocessed : pipeline.Backlog;
        Shutdown = new ShutdownReport(status, ended, left, lagging, _time.GetElapsedTime(began));
        string names = lagging.Length == 0 ? "none" : string.Join(", ", lagging.Select(stage => stage.Stage));
        if (!ended) Logger.Abandoned(Name, Shutdown.Elapsed, left, names);
        else if (left > 0) Logger.Left(Name, status, Shutdown.Elapsed, left, names);
        else if (status == DrainStatus.Drained) Logger.Drained(Name, Shutdown.Elapsed);
    }

    /// <summary>Ends what still runs, and disposes of what was made for the pipeline.</summary>
    internal async ValueTask DisposeAsync()
    {
        bool hasEnded = true;
        if (_built is { } built)
        {
            // A host that was disposed of without being stopped first, or while it stops, or that never started.
            if (built.Pipeline.State != RingState.Created)
            {
                await StopAsync(TimeSpan.Zero, CancellationToken.None).ConfigureAwait(false);
                await _hurry.CancelAsync().ConfigureAwait(false);
                await _stopped.Task.ConfigureAwait(false);
                hasEnded = Shutdown is { HasEnded: true };
            }
            else
            {
                await built.Pipeline.HaltAsync().ConfigureAwait(false);
            }

            _meter?.Dispose();
        }

        // A handler that was left behind still uses what it has.
        if (hasEnded) await _handlers.DisposeAsync().ConfigureAwait(false);
    }

    // The wait is ended from outside as well: what hangs after the last item, in a stop hook, ends no drain.
    private async Task<DrainStatus> DrainAsync(Pipeline<T> pipeline, TimeSpan time, TimeSpan more, CancellationToken hurry)
    {
        try
        {
            Task<DrainResult> drain = pipeline.DrainAsync(time, hurry);
            TimeSpan limit = time == Timeout.InfiniteTimeSpan ? time : time + more;
            return (await drain.WaitAsync(limit, _time, hurry).ConfigureAwait(false)).Status;
        }
        catch (Exception over) when (over is OperationCanceledException or TimeoutException)
        {
            return DrainStatus.TimedOut;
        }
    }

    private async Task<bool> HaltAsync(Pipeline<T> pipeline, TimeSpan time)
    {
        try
        {
            await pipeline.HaltAsync().WaitAsync(time, _time).ConfigureAwait(false);
            return true;
        }
        catch (TimeoutException)
        {
            return false;
        }
    }

    private async Task WatchAsync(Pipeline<T> pipeline, IHostApplicationLifetime? application)
    {
        try
        {
            await pipeline.Completion.ConfigureAwait(false);
        }
        catch (Exception fault)
        {
            FaultReaction reaction = Options.OnFault;
            Logger.Faulted(fault, Name, reaction);
            if (reaction == FaultReaction.StopApplication) application?.StopApplication();
        }
    }

    private void FollowChanges(BuiltPipeline<T> built)
    {
        if (_services.GetService<IConfiguration>() is not { } configuration) return;
        var options = _services.GetRequiredService<IOptionsFactory<HostedPipelineOptions>>();
        // Not the options' own monitor: the code that reloads a wrong configuration would get its exception.
        _changes = ChangeToken.OnChange(configuration.GetReloadToken, Follow);
        // It may have changed since the options were read, while start hooks ran.
        if (_isOutdated is { HasChanged: true }) Follow();

        void Follow()
        {
            try
            {
                // Together: what was read first must not come last.
                lock (_gate) Change(built, options.Create(Name));
            }
            catch (OptionsValidationException wrong)
            {
                Logger.ChangeRefused(Name, string.Join(' ', wrong.Failures));
            }
            catch (Exception wrong)
            {
                // Of the program's own Configure. The code that reloads cannot help it either.
                Logger.ChangeRefused(Name, $"{wrong.GetType().Name}: {wrong.Message}");
            }
        }
    }

    // With the lock held.
    private void Change(BuiltPipeline<T> built, HostedPipelineOptions fresh)
    {
        List<string> problems = [];
        IReadOnlyList<Stage> changed = built.Apply(built.DispatchesBy(fresh, Name, problems), problems);
        if (problems.Count > 0)
        {
            Logger.ChangeRefused(Name, string.Join(' ', problems));
            return;
        }

        foreach (Stage stage in changed) Logger.DispatchChanged(Name, stage.Name, stage.Dispatch);
        HostedPipelineOptions before = built.Options;
        built.Options = fresh;
        string[] later =
        [
            .. before.Capacity == fresh.Capacity ? [] : new[] { nameof(fresh.Capacity) },
            .. before.Plan == fresh.Plan ? [] : new[] { nameof(fresh.Plan) },
            .. before.Wait?.Name == fresh.Wait?.Name ? [] : new[] { nameof(fresh.Wait) },
        ];
        if (later.Length > 0) Logger.ChangeLater(Name, string.Join(", ", later));
    }
}
