using Raceway.Rings;

namespace Raceway.Testing;

/// <summary>Looks whether a handler gives the same result however it is called: the promise that lets dispatch and plan be changed at will.</summary>
/// <remarks>
/// <para>The handler is run over the items one by one. That result is demanded again: under <i>single</i>, <i>each</i> and
/// <i>batch</i>; for every cut of the first items into batches, also of batches that wrap round the end of the ring; with a fault
/// at each visit of a fault point, mended by a retry; with the stages stepped in other orders and held up now and then; and on
/// threads, under every plan.</para>
/// <para>Time is virtual: it moves only while nothing else does. <b>Cost</b>: some hundred small runs, half a second.</para>
/// <para><b>Errors</b>: the exception has the fewest items, and the cut with the fewest batches, that show the difference.</para>
/// </remarks>
/// <example>
/// <code>
/// DispatchInvariance.Check(payments, () => new Booking(new FakeAccounts()), booking => booking.Total);
/// </code>
/// </example>
public static class DispatchInvariance
{
    /// <summary>Checks a handler.</summary>
    /// <param name="items">What it is given: some ten items, with values that tell them apart.</param>
    /// <param name="create">Makes the handler, anew for each run.</param>
    /// <param name="result">What has to be the same, copied at the end of each run. It is compared by what it holds: sequences item by item, sets and dictionaries in any order.</param>
    /// <param name="options">How much to try; null for the defaults.</param>
    /// <typeparam name="T">The item.</typeparam>
    /// <typeparam name="THandler">The handler's class.</typeparam>
    /// <typeparam name="TResult">The result.</typeparam>
    /// <exception cref="InvarianceException">The result depends on how the handler is called.</exception>
    public static InvarianceReport Check<T, THandler, TResult>(
        IReadOnlyList<T> items, Func<THandler> create, Func<THandler, TResult> result, InvarianceOptions? options = null)
        where THandler : class, IStageHandler<T>
    {
        ArgumentNullException.ThrowIfNull(create);
        ArgumentNullException.ThrowIfNull(result);
        return Check(items, trial =>
        {
            THandler handler = create();
            trial.Pipeline.Stage("handler", handler);
            return handler;
        }, result, options);
    }

    /// <summary>Checks handlers with what they use, or a whole pipeline.</summary>
    /// <param name="items">What is published: some ten items, with values that tell them apart.</param>
    /// <param name="define">
    /// Adds the stages to the trial's definition, and returns what <paramref name="result"/> is read from. It is called for each run,
    /// and makes everything anew.
    /// </param>
    /// <param name="result">What has to be the same, copied at the end of each run. It is compared by what it holds: sequences item by item, sets and dictionaries in any order.</param>
    /// <param name="options">How much to try; null for the defaults.</param>
    /// <typeparam name="T">The item.</typeparam>
    /// <typeparam name="TState">What the result is read from: a handler, a fake, a list.</typeparam>
    /// <typeparam name="TResult">The result.</typeparam>
    /// <exception cref="InvarianceException">The result depends on how the handlers are called.</exception>
    /// <exception cref="ArgumentException">There is no item, or an option is out of range.</exception>
    public static InvarianceReport Check<T, TState, TResult>(
        IReadOnlyList<T> items, Func<Trial<T>, TState> define, Func<TState, TResult> result, InvarianceOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(items);
        ArgumentNullException.ThrowIfNull(define);
        ArgumentNullException.ThrowIfNull(result);
        if (items.Count == 0) throw new ArgumentException("A handler shows nothing without items: there is none. Give some ten.", nameof(items));
        options ??= new InvarianceOptions();
        options.Check();
        var runner = new TrialRunner<T, TState>(define, state => ResultCopy.Of(result(state)), options);
        return new InvarianceSearch<T>([.. items], runner.Run, options).Run();
    }
}
