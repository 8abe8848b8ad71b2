using Raceway.Interop.Distributed;
using RabbitMQ.Client;
using RabbitMQ.Client.Exceptions;

namespace Raceway.Interop.RabbitMq;

/// <summary>The texts of all errors: rule, value, remedy. None has a password in it.</summary>
internal static class RabbitMqErrors
{
    /// <summary>What stands for an empty list.</summary>
    public const string NoNode = "none";

    /// <summary>Whether the broker has answered that a queue is not there.</summary>
    public static bool IsNotFound(Exception fault) =>
        fault is OperationInterruptedException { ShutdownReason.ReplyCode: Constants.NotFound };

    public static ArgumentException Nodes(string? node) =>
        new(
            $"A node must be \"host:port\": node='{Shown(node)}'. Write for example localhost:5672.",
            nameof(RabbitMqOptions.Nodes));

    /// <summary>A node for a reader: shown only if it is an address or a bare name, as anything else may hold a password.</summary>
    public static string Shown(string? node)
    {
        if (node is null) return "null";
        bool isBareName = !node.Contains(':') && Uri.CheckHostName(node) != UriHostNameType.Unknown;
        return isBareName || node == NoNode || RabbitMqOptions.IsEndpoint(node, out _, out _) ? node : "(not shown)";
    }

    public static ArgumentOutOfRangeException Replicas(int replicas) =>
        new(nameof(replicas), replicas, $"Replicas must be 1, 3 or 5: replicas={replicas}. Use 3, which one node may fail of.");

    public static ArgumentOutOfRangeException QueueBytes(long bytes) =>
        new(nameof(bytes), bytes, $"A queue must hold a few frames: maxQueueBytes={bytes}. Use 1024 or more.");

    public static ArgumentOutOfRangeException DeliveryLimit(int limit) =>
        new(nameof(limit), limit, $"A frame must be deliverable again: deliveryLimit={limit}. Use 1 or more.");

    public static ArgumentOutOfRangeException Heartbeat(TimeSpan heartbeat) =>
        new(nameof(heartbeat), heartbeat, $"A heartbeat must be 1 s or more: heartbeat={heartbeat}. Use 10 s.");

    public static ArgumentOutOfRangeException ConfirmTimeout(TimeSpan timeout) =>
        new(
            nameof(timeout), timeout,
            $"A confirm is waited for between 1 s and 49 days: confirmTimeout={timeout}. Use 30 s, or Timeout.InfiniteTimeSpan.");

    public static ArgumentOutOfRangeException ConnectTimeout(TimeSpan timeout) =>
        new(
            nameof(timeout), timeout,
            $"A node must be given 100 ms to a day to answer: connectTimeout={timeout}. Use 10 s.");

    public static ArgumentOutOfRangeException OpenTimeout(TimeSpan timeout, TimeSpan connect) =>
        new(
            nameof(timeout), timeout,
            "Opening must be given as long as one node, and at most a day: "
            + $"openTimeout={timeout}, connectTimeout={connect}. Use 2 minutes.");

    public static LinkTransportException Late(RabbitMqOptions options, Exception? last) =>
        new(
            $"The broker must answer within the limit: {options}, openTimeout={options.OpenTimeout}. "
            + "Look at its nodes, or raise RabbitMqOptions.OpenTimeout."
            + (last is LinkTransportException ? $" Tried last: {last.Message}" : ""),
            last);

    /// <summary>Every node was tried; what happened at each.</summary>
    public static LinkTransportException NoneAnswers(RabbitMqOptions options, string reasons, Exception? last) =>
        new(
            $"The broker must be reachable: {options}, {reasons}. Start it, correct the nodes or the account; "
            + "docs/distributed.md shows how.",
            last);

    public static LinkTransportException Unreachable(RabbitMqOptions options, Exception cause) =>
        new(
            $"The broker must be reachable: {options}, {Reason(cause)}. Start it, correct the nodes or the account; "
            + "docs/distributed.md shows how.",
            cause);

    public static LinkTransportException Refused(LinkAddress link, string reason) =>
        new(
            "The broker must have the link's queues as this side asks for them: "
            + $"link='{link.Name}', generation={link.Generation}, {reason}. "
            + "Use the same options on all sides, or count the generation up.");

    public static ArgumentOutOfRangeException Most(int most) =>
        new(nameof(most), most, $"At least one frame must be asked for: most={most}. Use 100.");

    public static LinkTransportException NotPutBack(LinkAddress link, int partition, Exception cause) =>
        new(
            $"A partition must take the frame that is put back: link='{link.Name}', partition={partition}, {Reason(cause)}. "
            + "Its queue is full or not there; let workers handle what is in it, then put the frame back again.",
            cause);

    // The innermost says what happened: no route, refused, access.
    public static string Reason(Exception cause)
    {
        while (cause.InnerException is { } inner) cause = inner;
        // A sentence goes on behind it.
        return $"{cause.GetType().Name}: {cause.Message.TrimEnd(' ', '.')}";
    }
}
