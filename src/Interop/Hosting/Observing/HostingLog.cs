using Microsoft.Extensions.Logging;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Interop.Hosting;

/// <summary>What a hosted pipeline logs: turns of its life, never messages. docs/hosting.md has the same list.</summary>
internal static partial class HostingLog
{
    [LoggerMessage(
        1, LogLevel.Information,
        "Pipeline {Pipeline} has started: {Stages} under plan {Plan} ({Reason}), capacity {Capacity}.")]
    public static partial void Started(
        this ILogger logger, string pipeline, string stages, Plan plan, string reason, int capacity);

    [LoggerMessage(
        2, LogLevel.Information,
        "Pipeline {Pipeline} drains: backlog {Backlog}.")]
    public static partial void Draining(this ILogger logger, string pipeline, long backlog);

    [LoggerMessage(
        3, LogLevel.Information,
        "Pipeline {Pipeline} has handled everything, and has ended after {Elapsed}.")]
    public static partial void Drained(this ILogger logger, string pipeline, TimeSpan elapsed);

    [LoggerMessage(
        4, LogLevel.Warning,
        "Pipeline {Pipeline} has ended ({Status}) after {Elapsed} "
        + "with {Left} items not handled. Lagging: {Lagging}.")]
    public static partial void Left(
        this ILogger logger, string pipeline, DrainStatus status, TimeSpan elapsed, long left, string lagging);

    [LoggerMessage(
        5, LogLevel.Error,
        "Pipeline {Pipeline} has not ended after {Elapsed}: a handler has not returned, and is left behind. "
        + "About {Left} items were not handled. Lagging: {Lagging}.")]
    public static partial void Abandoned(this ILogger logger, string pipeline, TimeSpan elapsed, long left, string lagging);

    [LoggerMessage(
        6, LogLevel.Critical,
        "Pipeline {Pipeline} has faulted; reaction: {Reaction}.")]
    public static partial void Faulted(this ILogger logger, Exception fault, string pipeline, FaultReaction reaction);

    [LoggerMessage(
        7, LogLevel.Information,
        "Pipeline {Pipeline}, stage {Stage}: dispatch is now {Dispatch}, by a change of the configuration.")]
    public static partial void DispatchChanged(this ILogger logger, string pipeline, string stage, Dispatch dispatch);

    [LoggerMessage(
        8, LogLevel.Warning,
        "Pipeline {Pipeline} keeps its settings, as the changed configuration is wrong: {Problems}")]
    public static partial void ChangeRefused(this ILogger logger, string pipeline, string problems);

    [LoggerMessage(
        9, LogLevel.Warning,
        "Pipeline {Pipeline} will follow the change of {Settings} when it is started the next time, not now.")]
    public static partial void ChangeLater(this ILogger logger, string pipeline, string settings);
}
