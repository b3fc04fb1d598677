/** Maps a list with at most `parallelMax` calls under way at once; results keep the order of the list. */
export async function limitedParallel<Item, Result>(
  items: readonly Item[],
  parallelMax: number,
  map: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const queue = items.entries()
  const worker = async () => {
    for (const [index, item] of queue) results[index] = await map(item)
  }
  await Promise.all(Array.from({ length: Math.min(parallelMax, items.length) }, worker))
  return results
}
